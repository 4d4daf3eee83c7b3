import { basename, dirname, join, resolve } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { isEmpty } from "../../platform/files/list-folder.ts";
import { hasNoLinks, isInside, realPathOrSelf } from "../../platform/paths.ts";
import { type Exists, gitPaths } from "./git-paths.ts";
import { type WatchedLink, watchLink } from "./io/link-watch.ts";
import { type MountPoint, type MountRecord, stampAt } from "./io/mount-record.ts";
import type { Mount } from "./policy.ts";
import { NO_RULES, type RuledPaths } from "./rule-gaps.ts";

/** The protected paths of the writable folders. */
export type Protection = {
  readonly mounts: readonly Mount[];
  /** Missing paths in git's data to create for the run, so that no command can create them. */
  readonly missing: readonly MountPoint[];
  /** Paths that must stay missing but are not mounted: a new entry there is moved aside. */
  readonly absent: readonly string[];
  /** Links can't be mounted over, so they are checked after the run. */
  readonly links: readonly WatchedLink[];
  /** Paths found by name, and the unprotected ones among them with their stamps: compared with the state after the run. */
  readonly found: ReadonlySet<string>;
  readonly loose: ReadonlyMap<string, string>;
  readonly ruled: RuledPaths;
  /** Folders where git expects submodules. */
  readonly linked: ReadonlySet<string>;
  /** Data folders of the repositories with submodules, mapped to their work trees. */
  readonly repositories: ReadonlyMap<string, string>;
  /** The data folders whose index can be parsed. */
  readonly readable: ReadonlySet<string>;
};

export type DraftDeps = {
  /** Folders that are writable as a whole. */
  readonly writable: readonly string[];
  readonly exists: Exists;
  /**
   * True if no running confined program can replace a path or a folder above it. Only stable paths may be mounted, or
   * created from outside.
   */
  readonly isStable: (path: string) => boolean;
  readonly homes: readonly string[];
};

/** Builds a protection step by step. */
export class ProtectionDraft implements Protection {
  readonly mounts: Mount[] = [];
  readonly missing: MountPoint[] = [];
  readonly absent: string[] = [];
  readonly links: WatchedLink[] = [];
  ruled: RuledPaths = NO_RULES;
  readonly found = new Set<string>();
  readonly loose = new Map<string, string>();
  readonly linked = new Set<string>();
  readonly repositories = new Map<string, string>();
  readonly readable = new Set<string>();
  /** Folders mounted on themselves, so that they can't be renamed while a command runs. */
  readonly pinned = new Set<string>();
  readonly #deps: DraftDeps;
  /** The outermost folders, which are mounted themselves. */
  readonly #outermost: readonly string[];

  constructor(deps: DraftDeps) {
    this.#deps = deps;
    const isInner = (path: string) => deps.writable.some((other) => other !== path && isInside(other, path));
    this.#outermost = deps.writable.filter((path) => !isInner(path));
  }

  exists(path: string): boolean {
    return this.#deps.exists(path);
  }

  isStable(path: string): boolean {
    return this.#deps.isStable(path);
  }

  isWritable(path: string): boolean {
    return this.#outermost.some((root) => isInside(root, path));
  }

  /** @param path A path that must stay missing. */
  keepAbsent(path: string): void {
    if (!this.isWritable(path)) return;
    this.absent.push(path);
    let first = path;
    while (!this.exists(dirname(first))) first = dirname(first);
    this.pinWay(first);
  }

  /** @param gitFolder The data of a repository. */
  addGit(gitFolder: string, workTree: string, hasSubmodules: boolean): void {
    const { homes } = this.#deps;
    const exists: Exists = (path) => this.exists(path);
    const { kept, idle, open, missing, links } = gitPaths({ gitFolder, workTree, homes, exists, hasSubmodules });
    for (const path of idle) this.#empty(path);
    for (const path of kept) this.keep(path);
    for (const path of open)
      if (this.isWritable(path) && this.isStable(path)) this.mounts.push({ access: "writable", path });
    for (const path of links) this.watch(path);
    for (const point of missing) {
      if (isInside(gitFolder, point.path)) this.#occupy(point);
      else this.keepAbsent(point.path);
    }
  }

  /** Prevents a repository from appearing in a folder where git expects a submodule. */
  close(path: string): void {
    if (!this.exists(path)) this.keepAbsent(join(path, ".git"));
    else if (kindAt(path) === "folder" && isEmpty(path)) this.#empty(path);
    else this.keep(path);
  }

  /** Protects an existing entry, link or not. */
  keepEntry(path: string): void {
    if (watchLink(path)) this.watch(path);
    else this.keep(path);
    if (!this.isStable(path)) this.noteLoose(path);
  }

  /** Makes a file or folder read-only and pins it at its path. @param path Links resolved. */
  keep(path: string): void {
    this.mounts.push({ access: "fixed", path });
    this.pinWay(path);
  }

  /**
   * Prevents a missing path from being created by creating a mount point. Only in git's data: elsewhere people and
   * tools would see the mount point.
   */
  #occupy(point: MountPoint): void {
    if (!this.isWritable(point.path)) return;
    let first = point.path;
    while (!this.exists(dirname(first))) first = dirname(first);
    if (!this.exists(first)) this.#addMissing(first === point.path ? point : { path: first, kind: "folder" });
    this.pinWay(first);
  }

  /** Does nothing for a path that is not stable. */
  #addMissing(point: MountPoint): void {
    if (!this.#canMake(point.path)) return;
    this.missing.push(point);
    this.mounts.push(
      point.kind === "folder"
        ? { access: "hidden", path: point.path, kind: "folder" }
        : { access: "fixed", path: point.path },
    );
  }

  /** Hides a folder without useful content: a tmpfs is cheaper than a bind mount. */
  #empty(path: string): void {
    if (!this.isWritable(path)) return;
    if (this.isStable(path)) this.mounts.push({ access: "hidden", path, kind: "folder" });
    this.pinWay(path);
  }

  /** Notes an unprotected path, to be checked after the run. */
  noteLoose(path: string): void {
    const stamp = stampAt(path);
    if (stamp !== undefined) this.loose.set(path, stamp);
  }

  hide(path: string): void {
    const real = realPathOrSelf(path);
    const kind = kindAt(real);
    if (kind !== undefined) this.mounts.push({ access: "hidden", path: real, kind: kind === "folder" ? kind : "file" });
  }

  /** Protects a link: its target is kept, and the link itself is restored after the run. */
  watch(path: string): void {
    const link = watchLink(path);
    if (!link) return;
    this.links.push(link);
    this.pinWay(path);
    if (kindAt(path) !== undefined) {
      this.keep(realPathOrSelf(path));
      return;
    }
    // A dangling link: its target must stay missing too.
    const named = resolve(dirname(path), link.target);
    const target = join(realPathOrSelf(dirname(named)), basename(named));
    if (!this.exists(target)) this.keepAbsent(target);
  }

  /** Mounts a folder and its parents on themselves, so that none can be renamed and replaced. */
  pin(folder: string): void {
    if (this.#outermost.includes(folder)) return;
    this.pinned.add(folder);
    this.mounts.push({ access: "writable", path: folder, isPinned: true });
    this.pinWay(folder);
  }

  pinWay(path: string): void {
    const root = this.#outermost.find((folder) => isInside(folder, path));
    if (root === undefined || path === root) return;
    for (let at = dirname(path); at !== root && isInside(root, at); at = dirname(at)) {
      if (this.pinned.has(at)) continue;
      this.pinned.add(at);
      this.mounts.push({ access: "writable", path: at, isPinned: true });
    }
  }

  /**
   * Protects the mounts of other running confined programs, so that this program can't replace them.
   * @param mounts Mounts outside Quoll's own folders.
   */
  keepMounts(mounts: readonly MountRecord[]): void {
    for (const { path, isWritable } of mounts) {
      if (!this.isWritable(path)) continue;
      if (!isWritable) this.keep(path);
      else if (!this.pinned.has(path)) this.pin(path);
    }
  }

  #canMake(path: string): boolean {
    const folder = dirname(path);
    return this.isStable(path) && hasNoLinks(folder) && kindAt(folder) === "folder";
  }
}
