import { basename, dirname, join, relative } from "node:path";
import { PROTECTED_NAMES } from "../../contracts/protected-names.ts";
import { entryExists, isInside, outerGitFolders, realPathOrSelf } from "../../platform/paths.ts";
import { kindAt } from "../../platform/processes/output-file.ts";
import { FolderScan, type FoundEntry } from "../../platform/sandbox/folder-scan.ts";
import { type WatchedLink, watchLink } from "../../platform/sandbox/link-watch.ts";
import type { MountPoint } from "../../platform/sandbox/mount-points.ts";
import { type Exists, gitPlaces, ignoringOf } from "./git-places.ts";
import type { Place } from "./policy.ts";

/** Each costs a mount in every run: those nearest to the root come first. */
const MAX_NESTED_PLACES = 40;
const MAX_NESTED_REPOSITORIES = 8;

/**
 * Files that nobody is likely to make by hand while a command runs, and that no tool stumbles over as a folder: a mount of
 * memory on a folder takes a fraction of the time that binding a file takes.
 */
const MADE_AS_FOLDERS = new Set(["AGENTS.override.md", "CLAUDE.local.md", "GEMINI.md", "QUOLL.md", ".yarnrc"]);

/** What of the writable folders must stay as it is. */
export type Protection = {
  readonly places: readonly Place[];
  /** To be made for the run, so that nothing else can be made there. */
  readonly missing: readonly MountPoint[];
  /** Nothing can be mounted over a link: to be looked at after the run. */
  readonly links: readonly WatchedLink[];
  /** Files that git inside is not to see, by the list of ignored files of their repository. */
  readonly unseen: ReadonlyMap<string, readonly string[]>;
};

export type ProtectedPlacesDeps = {
  /** Writable folders; absolute, without links. */
  readonly roots: readonly string[];
  /** Home folders of this machine; absolute, without links. */
  readonly homes: readonly string[];
  /** Data of git's outside of the roots that may change as `.git` may. */
  readonly gitFolders: readonly string[];
  /** More paths that must not be read, or not be changed. */
  isHidden(path: string): boolean;
  isFixed(path: string): boolean;
};

const NAMES = PROTECTED_NAMES.flatMap(({ names, onlyAtHome = false }) =>
  names.map((name) => ({
    name: name.replace(/\/$/, ""),
    kind: name.endsWith("/") || MADE_AS_FOLDERS.has(name) ? ("folder" as const) : ("file" as const),
    onlyAtHome,
  })),
).filter(({ name }) => !name.startsWith("etc/") && name !== "git~1");
const FOLDED_NAMES = new Set(NAMES.map(({ name }) => fold(name)));

/** Finds what must not change below writable folders, each time anew. */
export class ProtectedPlaces {
  readonly #deps: ProtectedPlacesDeps;
  readonly #scans: readonly { readonly root: string; readonly scan: FolderScan }[];
  /** Repositories below a root that were there while nothing confined ran: nobody can have planted them meanwhile. */
  #known = new Set<string>();

  constructor(deps: ProtectedPlacesDeps) {
    this.#deps = deps;
    const isWanted = (name: string, path: string) =>
      FOLDED_NAMES.has(fold(name)) || deps.isHidden(path) || deps.isFixed(path);
    this.#scans = deps.roots.map((root) => ({ root, scan: new FolderScan(root, isWanted) }));
  }

  /**
   * @param made Paths that are there only because they were made to be mounted over.
   * @param isQuiet Whether nothing confined runs at this moment.
   */
  look(made: ReadonlySet<string>, isQuiet: boolean): Protection {
    const found = this.#scans.map(({ root, scan }) => ({
      root,
      entries: scan.look().filter(({ path }) => !made.has(path)),
    }));
    if (isQuiet) this.#known = new Set(found.flatMap(({ entries }) => repositories(entries)));
    const draft = new Draft((path) => entryExists(path) && !made.has(path));
    for (const { root, entries } of found) {
      this.#addTop(root, entries, draft);
      this.#addNested(root, entries, draft);
    }
    for (const home of this.#deps.homes)
      if (this.#deps.roots.some((root) => isInside(root, home))) addMissingNames(home, true, draft);
    for (const folder of this.#deps.gitFolders) {
      draft.places.push({ access: "writable", path: folder, isPinned: true });
      draft.addGit(folder, folder);
    }
    return draft;
  }

  #addTop(root: string, entries: readonly FoundEntry[], draft: Draft): void {
    for (const entry of entries.filter(({ depth }) => depth === 0)) this.#addEntry(entry, draft);
    const dotGit = join(root, ".git");
    if (draft.exists(dotGit) && kindAt(dotGit) === "folder") {
      draft.places.push({ access: "writable", path: dotGit, isPinned: true });
      draft.addGit(dotGit, root);
    } else if (!draft.exists(dotGit) && !draft.exists(join(root, "HEAD"))) {
      // Without a .git of its own, a HEAD beside other files could make a repository of the folder itself.
      draft.addMissing({ path: join(root, "HEAD"), kind: "file" });
    }
    addMissingNames(root, this.#deps.homes.includes(root), draft);
  }

  #addNested(root: string, entries: readonly FoundEntry[], draft: Draft): void {
    const nested = entries.filter(({ depth }) => depth > 0);
    for (const entry of nested.slice(0, MAX_NESTED_PLACES)) this.#addEntry(entry, draft);
    for (const path of repositories(nested).slice(0, MAX_NESTED_REPOSITORIES)) {
      const { places, missing } = gitPlaces(path, dirname(path), draft.exists);
      draft.places.push(...places);
      if (!this.#known.has(path)) continue;
      for (const point of missing) draft.addMissing(point);
      // Each folder on the way is mounted on itself, so that none can be moved away with the repository in it.
      for (let at = path; at !== root && isInside(root, at); at = dirname(at))
        draft.places.push({ access: "writable", path: at, isPinned: true });
    }
  }

  #addEntry({ path, name, kind }: FoundEntry, draft: Draft): void {
    if (this.#deps.isHidden(path)) draft.hide(path, kind);
    else if (kind === "link") draft.watch(path);
    else if (name !== ".git" || kind !== "folder") draft.places.push({ access: "fixed", path });
  }
}

/** A protection that is being put together. */
class Draft implements Protection {
  readonly places: Place[] = [];
  readonly missing: MountPoint[] = [];
  readonly links: WatchedLink[] = [];
  readonly unseen = new Map<string, string[]>();
  readonly exists: Exists;

  constructor(exists: Exists) {
    this.exists = exists;
  }

  addMissing(point: MountPoint): void {
    this.missing.push(point);
    this.places.push(
      point.kind === "folder"
        ? { access: "hidden", path: point.path, kind: "folder" }
        : { access: "fixed", path: point.path },
    );
    if (point.kind === "file") this.#unsee(point.path);
  }

  addGit(gitFolder: string, workTree: string): void {
    const { places, missing } = gitPlaces(gitFolder, workTree, this.exists);
    this.places.push(...places);
    for (const point of missing) this.addMissing(point);
  }

  hide(path: string, kind: FoundEntry["kind"]): void {
    const real = realPathOrSelf(path);
    const isFolder = kind === "folder" || kindAt(real) === "folder";
    if (kindAt(real) !== undefined)
      this.places.push({ access: "hidden", path: real, kind: isFolder ? "folder" : "file" });
  }

  watch(path: string): void {
    const link = watchLink(path);
    if (link) this.links.push(link);
    if (kindAt(path) !== undefined) this.places.push({ access: "fixed", path: realPathOrSelf(path) });
  }

  /** git would show what we had to make as a new file, and `git add .` would take it. */
  #unsee(path: string): void {
    const around = ignoringOf(dirname(path), gitFolderOf);
    if (!around || isInside(join(around.workTree, ".git"), path)) return;
    const list = this.unseen.get(around.excludeFile) ?? [];
    this.unseen.set(around.excludeFile, [...list, `/${relative(around.workTree, path)}`]);
    if (list.length === 0 && !this.exists(around.excludeFile) && kindAt(dirname(around.excludeFile)) === "folder")
      this.missing.push({ path: around.excludeFile, kind: "file" });
  }
}

function addMissingNames(base: string, isHome: boolean, draft: Draft): void {
  for (const { name, kind, onlyAtHome } of NAMES) {
    const path = join(base, name);
    if ((onlyAtHome && !isHome) || draft.exists(path) || kindAt(dirname(path)) !== "folder") continue;
    if (dirname(path) !== base && realPathOrSelf(dirname(path)) !== dirname(path)) continue;
    draft.addMissing({ path, kind });
  }
}

/** The folders of git's own data among what was found. */
function repositories(entries: readonly FoundEntry[]): readonly string[] {
  return entries.filter(({ path, kind }) => kind === "folder" && basename(path) === ".git").map(({ path }) => path);
}

/** Where the data of a work tree lies that all its worktrees share; undefined when it is none. */
function gitFolderOf(workTree: string): string | undefined {
  const dotGit = join(workTree, ".git");
  if (kindAt(join(dotGit, "HEAD")) === "file") return realPathOrSelf(dotGit);
  return outerGitFolders(workTree).at(-1);
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
