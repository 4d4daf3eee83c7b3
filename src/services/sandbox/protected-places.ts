import { basename, dirname, join } from "node:path";
import { PROTECTED_NAMES } from "../../contracts/protected-names.ts";
import { entryExists, isInside } from "../../platform/paths.ts";
import { kindAt } from "../../platform/processes/output-file.ts";
import { FolderScan, type FoundEntry } from "../../platform/sandbox/folder-scan.ts";
import type { MountScene } from "../../platform/sandbox/mount-points.ts";
import { type Protection, ProtectionDraft } from "./protection-draft.ts";

/** Each costs a mount in every run: those nearest to the root come first. */
const MAX_NESTED_PLACES = 40;
const MAX_NESTED_REPOSITORIES = 8;

/**
 * Files that nobody is likely to make by hand while a command runs, and that no tool stumbles over as a folder: a mount of
 * memory on a folder takes a fraction of the time that binding a file takes.
 */
const MADE_AS_FOLDERS = new Set(["AGENTS.override.md", "CLAUDE.local.md", "GEMINI.md", "QUOLL.md", ".yarnrc"]);

export type ProtectedPlacesDeps = {
  /** Writable folders; absolute, without links. */
  readonly roots: readonly string[];
  /** Home folders of this machine; absolute, without links. */
  readonly homes: readonly string[];
  /** Quoll's own folders; inside a root nothing may take their place. */
  readonly ownFolders: readonly string[];
  /** More paths that must stay as they are. */
  readonly denyWrite: readonly string[];
  /** Data of git's outside of the roots that may change as `.git` may. */
  readonly gitFolders: readonly string[];
  /** More paths that must not be read, or not be changed. */
  isHidden(path: string): boolean;
  isFixed(path: string): boolean;
};

const NAMES = PROTECTED_NAMES.flatMap(({ names, onlyAtHome = false, onlyWhereItStands = false }) =>
  names.map((name) => ({
    name: name.replace(/\/$/, ""),
    kind: name.endsWith("/") || MADE_AS_FOLDERS.has(name) ? ("folder" as const) : ("file" as const),
    onlyAtHome,
    onlyWhereItStands,
  })),
).filter(({ name }) => !name.startsWith("etc/") && name !== "git~1");
const ANYWHERE = foldedNames(false);
const AT_HOME = foldedNames(true);

/** Finds what must not change below writable folders, each time anew. */
export class ProtectedPlaces {
  readonly #deps: ProtectedPlacesDeps;
  readonly #scans: readonly { readonly root: string; readonly scan: FolderScan }[];

  constructor(deps: ProtectedPlacesDeps) {
    this.#deps = deps;
    const isWanted = (name: string, path: string) =>
      ANYWHERE.has(fold(name)) ||
      (AT_HOME.has(fold(name)) && deps.homes.includes(dirname(path))) ||
      deps.isHidden(path) ||
      deps.isFixed(path);
    this.#scans = deps.roots.map((root) => ({ root, scan: new FolderScan(root, isWanted) }));
  }

  /** @param allowWrite Further writable folders, as they stand now; what is protected in the roots may lie in them. */
  look({ made, running, isSettled }: MountScene, allowWrite: readonly string[]): Protection {
    const { roots, homes, ownFolders, denyWrite, gitFolders } = this.#deps;
    const draft = new ProtectionDraft({
      writable: [...roots, ...gitFolders, ...allowWrite],
      exists: (path) => entryExists(path) && !made.has(path),
      isSettled,
    });
    for (const { root, scan } of this.#scans) {
      const entries = scan.look().filter(({ path }) => !made.has(path));
      this.#addTop(root, entries, draft);
      this.#addNested(entries, draft);
    }
    for (const home of homes) if (draft.isWritable(home)) addMissingNames(home, true, draft);
    for (const folder of ownFolders) if (draft.isWritable(folder)) draft.occupy(folder);
    for (const path of denyWrite) if (draft.isWritable(path) && draft.exists(path)) draft.keep(path);
    for (const folder of gitFolders) {
      draft.places.push({ access: "writable", path: folder });
      draft.addGit(folder, folder);
    }
    draft.keepMounts(running.filter(({ path }) => !ownFolders.some((folder) => isInside(folder, path))));
    return draft;
  }

  #addTop(root: string, entries: readonly FoundEntry[], draft: ProtectionDraft): void {
    const top = entries.filter(({ depth }) => depth === 0);
    for (const entry of top) this.#addEntry(entry, draft);
    const dotGit = join(root, ".git");
    if (repositories(top).includes(dotGit)) {
      draft.pin(dotGit);
      draft.addGit(dotGit, root);
    } else if (!draft.exists(dotGit) && !draft.exists(join(root, "HEAD"))) {
      // Without a .git of its own, a HEAD beside other files could make a repository of the folder itself.
      draft.addMissing({ path: join(root, "HEAD"), kind: "file" });
    }
    addMissingNames(root, this.#deps.homes.includes(root), draft);
  }

  #addNested(entries: readonly FoundEntry[], draft: ProtectionDraft): void {
    const nested = entries.filter(({ depth }) => depth > 0);
    for (const entry of nested.slice(0, MAX_NESTED_PLACES)) this.#addEntry(entry, draft);
    for (const path of repositories(nested).slice(0, MAX_NESTED_REPOSITORIES)) {
      draft.pin(path);
      draft.addGit(path, dirname(path));
    }
  }

  #addEntry({ path, name, kind }: FoundEntry, draft: ProtectionDraft): void {
    if (this.#deps.isHidden(path)) draft.hide(path);
    else if (kind === "link") draft.watch(path);
    else if (name !== ".git" || kind !== "folder") draft.keep(path);
  }
}

function addMissingNames(base: string, isHome: boolean, draft: ProtectionDraft): void {
  for (const { name, kind, onlyAtHome, onlyWhereItStands } of NAMES) {
    const path = join(base, name);
    if (onlyAtHome && !isHome) continue;
    if (draft.exists(path)) {
      // Names of one part were found by the scan.
      if (dirname(path) !== base && kindAt(path) !== undefined) draft.keep(path);
    } else if (!onlyWhereItStands) {
      draft.addMissing({ path, kind });
    }
  }
}

/** The folders of git's own data among what was found. */
function repositories(entries: readonly FoundEntry[]): readonly string[] {
  return entries.filter(({ path, kind }) => kind === "folder" && basename(path) === ".git").map(({ path }) => path);
}

function foldedNames(atHome: boolean): ReadonlySet<string> {
  return new Set(NAMES.filter(({ onlyAtHome }) => onlyAtHome === atHome).map(({ name }) => fold(name)));
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
