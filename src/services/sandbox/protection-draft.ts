import { basename, dirname, join, resolve } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { hasNoLinks, isInside, realPathOrSelf } from "../../platform/paths.ts";
import { type WatchedLink, watchLink } from "../../platform/sandbox/link-watch.ts";
import { isEmpty } from "../../platform/sandbox/list-folder-sync.ts";
import type { MountPoint } from "../../platform/sandbox/mount-points.ts";
import { type MountedPlace, stampAt } from "../../platform/sandbox/running-mounts.ts";
import type { Exists } from "./git-folder.ts";
import { gitPlaces } from "./git-places.ts";
import type { Place } from "./policy.ts";
import { NO_RULES, type Ruled } from "./ruled.ts";

/** What of the writable folders must stay as it is. */
export type Protection = {
  readonly places: readonly Place[];
  /** Of git's own data: to be made for the run, so that nothing else can be made there. */
  readonly missing: readonly MountPoint[];
  /** Must stay missing, and nothing is mounted there: what appears is moved aside. */
  readonly absent: readonly string[];
  /** Nothing can be mounted over a link: to be looked at after the run. */
  readonly links: readonly WatchedLink[];
  /** What was found by its name, and what of it is not kept: to be compared with what is there after the run. */
  readonly found: ReadonlySet<string>;
  readonly loose: ReadonlyMap<string, string>;
  readonly ruled: Ruled;
  /** Folders in which git looks for repositories. */
  readonly linked: ReadonlySet<string>;
  /** The repositories that say so: where their data lies, and their work trees. */
  readonly repositories: ReadonlyMap<string, string>;
  /** Of these, the ones whose index can be looked through. */
  readonly readable: ReadonlySet<string>;
};

export type DraftDeps = {
  /** Folders that are writable whole. */
  readonly writable: readonly string[];
  readonly exists: Exists;
  /**
   * Whether nothing that runs confined can put something else at a path or above it: only then may anything be mounted there, or
   * be made there from outside.
   */
  readonly isSettled: (path: string) => boolean;
  readonly homes: readonly string[];
};

/** A protection that is being put together. */
export class ProtectionDraft implements Protection {
  readonly places: Place[] = [];
  readonly missing: MountPoint[] = [];
  readonly absent: string[] = [];
  readonly links: WatchedLink[] = [];
  ruled: Ruled = NO_RULES;
  readonly found = new Set<string>();
  readonly loose = new Map<string, string>();
  readonly linked = new Set<string>();
  readonly repositories = new Map<string, string>();
  readonly readable = new Set<string>();
  /** Folders that are mounted on themselves, and can't be renamed while a command runs. */
  readonly pinned = new Set<string>();
  readonly #deps: DraftDeps;
  /** Those in no other: they are mounted themselves. */
  readonly #outermost: readonly string[];

  constructor(deps: DraftDeps) {
    this.#deps = deps;
    const isInner = (path: string) => deps.writable.some((other) => other !== path && isInside(other, path));
    this.#outermost = deps.writable.filter((path) => !isInner(path));
  }

  exists(path: string): boolean {
    return this.#deps.exists(path);
  }

  isSettled(path: string): boolean {
    return this.#deps.isSettled(path);
  }

  isWritable(path: string): boolean {
    return this.#outermost.some((root) => isInside(root, path));
  }

  /** @param path To stay missing. */
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
    const { kept, idle, open, missing, links } = gitPlaces({ gitFolder, workTree, homes, exists, hasSubmodules });
    for (const path of idle) this.#empty(path);
    for (const path of kept) this.keep(path);
    for (const path of open)
      if (this.isWritable(path) && this.isSettled(path)) this.places.push({ access: "writable", path });
    for (const path of links) this.watch(path);
    for (const point of missing) {
      if (isInside(gitFolder, point.path)) this.#occupy(point);
      else this.keepAbsent(point.path);
    }
  }

  /** Keeps a folder in which git looks for a repository from getting one. */
  close(path: string): void {
    if (!this.exists(path)) this.keepAbsent(join(path, ".git"));
    else if (kindAt(path) === "folder" && isEmpty(path)) this.#empty(path);
    else this.keep(path);
  }

  /** Keeps what is there, a link or not. */
  keepEntry(path: string): void {
    if (watchLink(path)) this.watch(path);
    else this.keep(path);
    if (!this.isSettled(path)) this.noteLoose(path);
  }

  /** Keeps a file or folder, and its place. @param path Links resolved. */
  keep(path: string): void {
    this.places.push({ access: "fixed", path });
    this.pinWay(path);
  }

  /** Keeps what is missing from being made. Only in git's own data: everywhere else people and tools would see what is made. */
  #occupy(point: MountPoint): void {
    if (!this.isWritable(point.path)) return;
    let first = point.path;
    while (!this.exists(dirname(first))) first = dirname(first);
    if (!this.exists(first)) this.#addMissing(first === point.path ? point : { path: first, kind: "folder" });
    this.pinWay(first);
  }

  /** Does nothing where what would be made could come to lie elsewhere. */
  #addMissing(point: MountPoint): void {
    if (!this.#canMake(point.path)) return;
    this.missing.push(point);
    this.places.push(
      point.kind === "folder"
        ? { access: "hidden", path: point.path, kind: "folder" }
        : { access: "fixed", path: point.path },
    );
  }

  /** A folder that holds nothing of use: a mount of memory is cheaper than one of the folder. */
  #empty(path: string): void {
    if (!this.isWritable(path)) return;
    if (this.isSettled(path)) this.places.push({ access: "hidden", path, kind: "folder" });
    this.pinWay(path);
  }

  /** Nothing keeps it: it is looked at after the run. */
  noteLoose(path: string): void {
    const stamp = stampAt(path);
    if (stamp !== undefined) this.loose.set(path, stamp);
  }

  hide(path: string): void {
    const real = realPathOrSelf(path);
    const kind = kindAt(real);
    if (kind !== undefined) this.places.push({ access: "hidden", path: real, kind: kind === "folder" ? kind : "file" });
  }

  /** Keeps a link: what it leads to stays, it is itself put back. */
  watch(path: string): void {
    const link = watchLink(path);
    if (!link) return;
    this.links.push(link);
    this.pinWay(path);
    if (kindAt(path) !== undefined) {
      this.keep(realPathOrSelf(path));
      return;
    }
    // It leads nowhere yet: what it names can't be made either.
    const named = resolve(dirname(path), link.target);
    const target = join(realPathOrSelf(dirname(named)), basename(named));
    if (!this.exists(target)) this.keepAbsent(target);
  }

  /** Mounts a folder and those on the way to it on themselves: none of them can be moved away, and another put there. */
  pin(folder: string): void {
    if (this.#outermost.includes(folder)) return;
    this.pinned.add(folder);
    this.places.push({ access: "writable", path: folder, isPinned: true });
    this.pinWay(folder);
  }

  pinWay(path: string): void {
    const root = this.#outermost.find((folder) => isInside(folder, path));
    if (root === undefined || path === root) return;
    for (let at = dirname(path); at !== root && isInside(root, at); at = dirname(at)) {
      if (this.pinned.has(at)) continue;
      this.pinned.add(at);
      this.places.push({ access: "writable", path: at, isPinned: true });
    }
  }

  /**
   * Keeps what other confined programs that run have mounted: what they rely on must not be exchanged by this one.
   * @param mounts Outside of Quoll's own folders.
   */
  keepMounts(mounts: readonly MountedPlace[]): void {
    for (const { path, isWritable } of mounts) {
      if (!this.isWritable(path)) continue;
      if (!isWritable) this.keep(path);
      else if (!this.pinned.has(path)) this.pin(path);
    }
  }

  #canMake(path: string): boolean {
    const folder = dirname(path);
    return this.isSettled(path) && hasNoLinks(folder) && kindAt(folder) === "folder";
  }
}
