import { dirname, join } from "node:path";
import type { PathRule } from "../../contracts/permission.ts";
import type { NamedPath } from "../../contracts/ports.ts";
import { PROTECTED_NAMES } from "../../contracts/protected-names.ts";
import { namedFew } from "../../contracts/words.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { isEmpty } from "../../platform/files/list-folder.ts";
import { entryExists, isInside } from "../../platform/paths.ts";
import { applyRules, mayConcern } from "./apply-rules.ts";
import { isRepository } from "./git-paths.ts";
import { FolderScan, type FoundEntry, type Maker } from "./io/folder-scan.ts";
import { restoreLink, type WatchedLink } from "./io/link-watch.ts";
import type { MountScene } from "./io/mount-points.ts";
import { stampAt } from "./io/mount-record.ts";
import { printableName } from "./notices.ts";
import { LinkedRepositories, ProtectedRepositories } from "./protected-repositories.ts";
import { type Protection, ProtectionDraft } from "./protection-draft.ts";

export type SandboxName = {
  /** Relative, without a trailing slash. */
  readonly name: string;
  readonly onlyAtHome: boolean;
  readonly onlyReportedWhenNew: boolean;
};

/** The protected names that matter in a writable folder. */
export const SANDBOX_NAMES: readonly SandboxName[] = PROTECTED_NAMES.flatMap(
  ({ names, onlyAtHome = false, onlyReportedWhenNew = false }) =>
    names.map((name) => ({ name: name.replace(/\/$/, ""), onlyAtHome, onlyReportedWhenNew })),
).filter(({ name }) => !name.startsWith("etc/") && name !== "git~1");

const ANYWHERE = foldedNames(({ onlyAtHome }) => !onlyAtHome);
const AT_HOME = foldedNames(({ onlyAtHome }) => onlyAtHome);
const MOVED_ANYWHERE = foldedNames(({ onlyAtHome, onlyReportedWhenNew }) => !onlyAtHome && !onlyReportedWhenNew);
const MOVED_AT_HOME = foldedNames(({ onlyAtHome, onlyReportedWhenNew }) => onlyAtHome && !onlyReportedWhenNew);

/** @param isAtHome True if the entry lies in a home folder. */
export function isProtectedName(name: string, isAtHome: boolean): boolean {
  const folded = fold(name);
  return ANYWHERE.has(folded) || (isAtHome && AT_HOME.has(folded));
}

/** True if a new entry with this name at the top of a writable folder is moved aside. */
export function isMovedWhenNew(name: string, isAtHome: boolean): boolean {
  const folded = fold(name);
  return MOVED_ANYWHERE.has(folded) || (isAtHome && MOVED_AT_HOME.has(folded));
}

function foldedNames(isWanted: (name: SandboxName) => boolean): ReadonlySet<string> {
  return new Set(SANDBOX_NAMES.filter(isWanted).map(({ name }) => fold(name)));
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/**
 * The maximum number of protected paths that are mounted, because each costs a mount per run. The paths nearest to the
 * root come first; the others are only checked afterwards.
 */
const MAX_NESTED_PLACES = 40;

export type ProtectedPathsDeps = {
  /** Writable folders; absolute, without links. */
  readonly roots: readonly string[];
  /** Home folders of this machine; absolute, without links. */
  readonly homes: readonly string[];
  /** Quoll's own folders; inside a root no command may replace them. */
  readonly ownFolders: readonly string[];
  /** Additional paths that must not be changed. */
  readonly denyWrite: readonly string[];
  /** Git data folders outside the roots, writable like `.git`. */
  readonly gitFolders: readonly string[];
  /** True for additional paths that must not be read or changed. */
  isHidden(path: string): boolean;
  isFixed(path: string): boolean;
  /** The permission rules for paths; the same array until the rules change. */
  rules(): readonly PathRule[];
};

/** Finds the paths below writable folders that must not change. Scans again at each call. */
export class ProtectedPaths {
  readonly #deps: ProtectedPathsDeps;
  readonly #linked = new LinkedRepositories();
  #rules: readonly PathRule[] = [];
  readonly #scans: readonly { readonly root: string; readonly scan: FolderScan }[];

  constructor(deps: ProtectedPathsDeps) {
    this.#deps = deps;
    const isWanted = (name: string, path: string) =>
      this.#isKept(name, path) || this.#rules.some((rule) => mayConcern(rule, name) && rule.matches(path));
    // A path under an ask rule may be open to a command; protected entries inside it stay protected.
    const isEntered = (name: string, path: string) =>
      !this.#isKept(name, path) && !this.#rules.some((rule) => rule.decision === "deny" && rule.matches(path));
    const ruled = {
      isNeeded: () => this.#rules.some(({ plain }) => plain === undefined),
      // Package managers may fill their folders regardless of the rules for changes.
      isWanted: (name: string, path: string, maker: Maker) =>
        this.#rules.some(
          (rule) => (rule.action === "read" || maker === "output") && mayConcern(rule, name) && rule.matches(path),
        ),
    };
    this.#scans = deps.roots.map((root) => ({ root, scan: new FolderScan(root, isWanted, { isEntered, ruled }) }));
  }

  /**
   * @param allowWrite Further writable folders; protected paths of the roots may lie in them.
   * @param named Paths that the command names.
   * @throws {ToolFailedError} if there are too many paths to protect.
   */
  look(scene: MountScene, allowWrite: readonly string[], named: readonly NamedPath[] = []): Protection {
    const { roots, homes, ownFolders, denyWrite, gitFolders } = this.#deps;
    const { made, running, isStable } = scene;
    const draft = new ProtectionDraft({
      writable: [...roots, ...gitFolders, ...allowWrite],
      exists: (path) => entryExists(path) && !made.has(path),
      isStable,
      homes,
    });
    const repositories = new ProtectedRepositories(draft, this.#linked, (path) => this.#deps.isHidden(path));
    this.#readRules();
    const all: FoundEntry[] = [];
    for (const { root, scan } of this.#scans) {
      const found = scan.look().filter(({ path }) => !made.has(path));
      all.push(...found, ...scan.ruledEntries);
      const entries = found.filter(({ name, path }) => this.#isKept(name, path));
      for (const path of this.#obeyed(entries)) draft.found.add(path);
      this.#addTop(root, entries, draft);
      this.#addNested(entries, draft);
      repositories.add(root, entries);
    }
    const isCut = this.#scans.some(({ scan }) => scan.isCut);
    const cutFolders = this.#scans.flatMap(({ scan }) => scan.cutFolders);
    draft.ruled = applyRules({ rules: this.#rules, named, roots, entries: all, isCut, cutFolders }, draft);
    for (const folder of gitFolders) repositories.addOuter(folder, roots[0] ?? folder);
    for (const home of homes) if (draft.isWritable(home)) keepDeepNames(home, true, draft);
    for (const folder of ownFolders) if (draft.isWritable(folder)) draft.pinWay(folder);
    for (const path of denyWrite) if (draft.isWritable(path) && draft.exists(path)) draft.keep(path);
    draft.keepMounts(running.filter(({ path }) => !ownFolders.some((folder) => isInside(folder, path))));
    return draft;
  }

  /** Existing paths, found by name, that rules protect from creation or change. */
  ruledNow(rules: readonly PathRule[]): readonly string[] {
    const writing = rules.filter(({ action, plain }) => action === "write" && plain === undefined);
    if (writing.length === 0) return [];
    const entries = this.#scans.flatMap(({ scan }) => [...scan.look(), ...scan.ruledEntries]);
    const isRuled = ({ name, path }: FoundEntry) => writing.some((rule) => rule.mayEnd(name) && rule.matches(path));
    return entries.filter(isRuled).map(({ path }) => path);
  }

  /** One line per unprotected path that was created or changed since. */
  changesSince(before: ProtectedState): readonly string[] {
    const found = this.#scans.flatMap(({ scan }) => this.#obeyed(scan.look()));
    const linked = [...before.repositories].flatMap((repository) => this.#linked.below(...repository));
    const readable = [...before.repositories.keys()].filter((gitFolder) => this.#linked.isReadable(gitFolder));
    return protectedChanges(before, { found: new Set(found), linked: new Set(linked), readable: new Set(readable) });
  }

  #readRules(): void {
    const rules = this.#deps.rules();
    if (rules === this.#rules) return;
    this.#rules = rules;
    for (const { scan } of this.#scans) scan.forget();
  }

  /** Protected independently of rules. */
  #isKept(name: string, path: string): boolean {
    return this.#isProtected(name, path) || this.#deps.isHidden(path) || this.#deps.isFixed(path);
  }

  #isProtected(name: string, path: string): boolean {
    return isProtectedName(name, this.#deps.homes.includes(dirname(path)));
  }

  /** Entries without those that settings hide and without `.git` folders that are not repositories. */
  #obeyed(entries: readonly FoundEntry[]): readonly string[] {
    return entries
      .filter(({ name, path }) => this.#isProtected(name, path))
      .filter(({ name, path, kind }) => name !== ".git" || kind !== "folder" || isRepository(path))
      .map(({ path }) => path);
  }

  #addTop(root: string, entries: readonly FoundEntry[], draft: ProtectionDraft): void {
    for (const entry of entries) if (entry.depth === 0 && entry.name !== ".git") this.#addEntry(entry, draft);
    keepDeepNames(root, this.#deps.homes.includes(root), draft);
  }

  #addNested(entries: readonly FoundEntry[], draft: ProtectionDraft): void {
    const nested = entries.filter(({ name, depth }) => depth > 0 && name !== ".git");
    for (const entry of nested.slice(0, MAX_NESTED_PLACES)) this.#addEntry(entry, draft);
    for (const { path } of nested.slice(MAX_NESTED_PLACES)) {
      if (this.#deps.isHidden(path)) draft.hide(path);
      else draft.noteLoose(path);
    }
  }

  #addEntry({ path }: FoundEntry, draft: ProtectionDraft): void {
    if (!this.#deps.isHidden(path)) {
      draft.keepEntry(path);
      return;
    }
    draft.hide(path);
    if (!draft.isStable(path)) draft.noteLoose(path);
  }
}

/** The scan finds names with a single part. */
function keepDeepNames(base: string, isHome: boolean, draft: ProtectionDraft): void {
  for (const { name, onlyAtHome } of SANDBOX_NAMES) {
    if (!name.includes("/") || (onlyAtHome && !isHome)) continue;
    const path = join(base, name);
    if (draft.exists(path) && kindAt(path) !== undefined) draft.keep(path);
  }
}

/** The state of unprotected paths before a command ran. */
export type ProtectedState = Pick<Protection, "found" | "loose" | "linked" | "repositories" | "readable">;

/** The maximum number of paths named in one line. */
const MAX_NAMED = 5;

/**
 * Lines for the model and the person about unprotected paths that a command created or changed.
 * @param now The state after the command.
 */
export function protectedChanges(
  before: ProtectedState,
  now: Pick<ProtectedState, "found" | "linked" | "readable">,
): readonly string[] {
  const made = [...now.found].filter((path) => !before.found.has(path) && !isEmpty(path));
  const repositories = made.filter((path) => path.endsWith("/.git"));
  const obeyed = made.filter((path) => !repositories.includes(path));
  const changed = [...before.loose].filter(([path, stamp]) => stampAt(path) !== stamp).map(([path]) => path);
  const linked = [...now.linked].filter((path) => !before.linked.has(path));
  const unreadable = [...before.readable].filter((path) => !now.readable.has(path));
  return [
    line(obeyed, "New since the command started, and obeyed by agents, editors or other tools"),
    line(changed, "Changed since the command started, and obeyed by agents, editors, git or other tools"),
    line(repositories, "New repositories, whose hooks and settings git obeys in them"),
    line(linked, "The index now lists these as repositories, and git obeys their settings anywhere in this work tree"),
    ...unreadable.map(
      (gitFolder) =>
        `The index of ${printableName(before.repositories.get(gitFolder) ?? gitFolder)} has a format that Quoll can't read, and may name repositories whose settings git obeys. Check it before you continue.`,
    ),
  ].flatMap((text) => (text === undefined ? [] : [text]));
}

function line(paths: readonly string[], what: string): string | undefined {
  if (paths.length === 0) return undefined;
  return `${what}: ${namedFew(paths.map(printableName), MAX_NAMED)}. Check them before you continue.`;
}

/** Restores replaced links. @returns one line per link, also for failures. */
export function linkChanges(links: readonly WatchedLink[]): readonly string[] {
  return links.flatMap((link) => {
    const outcome = restoreLink(link);
    if (outcome === "untouched") return [];
    const was = `${printableName(link.path)} was a link to ${printableName(link.target)}, and`;
    return outcome === "put back"
      ? [`${was} was put back; its replacement was moved aside.`]
      : [`${was} is gone, or its folder was replaced: check its current state.`];
  });
}
