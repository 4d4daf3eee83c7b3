import { copyFileSync, existsSync, lstatSync, readFileSync, rmSync, type Stats, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { namedFew } from "../../../contracts/words.ts";
import { hasRights } from "../../../platform/files/kind-at.ts";
import { statsAt } from "../../../platform/paths.ts";
import { makePrivateFolder } from "../../../platform/private-file.ts";
import { FileModes, type KnownModes } from "./file-modes.ts";
import { indexFileEntries } from "./git-index-file.ts";
import { inSlices } from "./in-slices.ts";
import { InodeHistory } from "./inode-history.ts";
import { isFullDisk, type OtherFiles, RootIndex, type RootIndexDeps } from "./root-index.ts";
import { FolderScan, type ScannedFolders } from "./scanned-folders.ts";
import { ShadowGitError } from "./shadow-git.ts";
import { EMPTY_TREE, type Trees } from "./trees.ts";

const KEPT_NAMES = 5;
/** The tree of a state with more changes is written by git. */
const MAX_EDITED = 500;
const MAX_PREPARED_BYTES = 16 * 1024 * 1024;

export type RootLimits = {
  /** The largest file that is stored. */
  readonly maxFileBytes: number;
  /** The most files, and the most new bytes of one state; beyond them the root keeps only named files. */
  readonly maxFiles: number;
  readonly maxNewBytes: number;
  /** The most new files that are stored before a call needs it. */
  readonly maxPreparedFiles: number;
};

export const ROOT_LIMITS: RootLimits = {
  maxFileBytes: 100 * 1024 * 1024,
  maxFiles: 200_000,
  maxNewBytes: 1024 * 1024 * 1024,
  maxPreparedFiles: 1_000,
};

/** A root is larger than the limits. The message is a phrase for the person. */
export class RootTooLargeError extends Error {
  override name = "RootTooLargeError";
}

/** The content of one root at one moment. Paths are relative to `top`. */
export type RootState = {
  /** The work tree as git sees it: absolute. */
  readonly top: string;
  /** The root's path in the work tree; "" if they are the same. */
  readonly prefix: string;
  readonly tree: string;
  readonly modes: KnownModes;
  readonly folders: ScannedFolders;
  /** Counts the states of this root in this process. */
  readonly step: number;
  /** Repositories inside, which are not part of the tree. */
  readonly nested: readonly string[];
  /** Files that are not part of the state: one printable phrase each. */
  readonly notHeld: readonly string[];
};

/** `index`: the index of this root in this process. */
export type RootParts = RootIndexDeps & {
  readonly trees: Trees;
  /** The index of an earlier process to start from. */
  readonly earlierIndex: string | undefined;
  readonly limits: RootLimits;
};

const NO_MODES: KnownModes = { plain: 0o644, executable: 0o755, others: new Map() };
const NO_FOLDERS: ScannedFolders = { empty: new Map(), modes: new Map(), usualMode: 0o755 };

/**
 * The files of one work tree as a git tree in the shadow repository. The work tree's own repository is not used; of it
 * only `.gitignore` files count. One state at a time.
 */
export class RootTree {
  readonly #parts: RootParts;
  readonly #stored: RootIndex;
  readonly #inodes: InodeHistory;
  #scan: FolderScan;
  #modes: FileModes;
  #last: RootState | undefined;
  /** The tree that the index holds. */
  #indexTree: string | undefined;
  #step = 0;

  constructor(parts: RootParts) {
    this.#parts = parts;
    this.#stored = new RootIndex(parts);
    this.#inodes = new InodeHistory(parts.index);
    this.#scan = new FolderScan(parts.top, parts.prefix);
    this.#modes = new FileModes(parts.top);
  }

  /** True if another file took the place of a path between two steps. */
  wasReplaced(path: string, afterStep: number, untilStep: number): boolean {
    return this.#inodes.wasReplaced(path, afterStep, untilStep);
  }

  /**
   * Stores what changed since the last state.
   * @throws {RootTooLargeError} the root exceeds a limit. {Error} git or the system failed.
   */
  async state(signal: AbortSignal): Promise<RootState> {
    const { top, prefix, index } = this.#parts;
    if (!isFolder(join(top, prefix))) return this.#missing();
    try {
      if (!this.#last) this.#prepareIndex();
      return await this.#next(signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ShadowGitError) || isFullDisk(error)) throw error;
      // The index may be damaged, or name objects that a prune has removed.
      this.#missing();
      makePrivateFolder(dirname(index));
      return this.#next(signal);
    }
  }

  /** Takes the first state, unless much is new: that is stored only for a call that may write. @returns true if it did. */
  async prepare(signal: AbortSignal): Promise<boolean> {
    const { top, prefix, limits } = this.#parts;
    if (this.#last) return true;
    if (!isFolder(join(top, prefix))) return false;
    this.#prepareIndex();
    const others = await this.#stored.others(true, signal);
    if (others.paths.length > limits.maxPreparedFiles) return false;
    const bytes = others.paths.reduce((sum, path) => sum + (this.#lstat(path)?.size ?? 0), 0);
    if (bytes > MAX_PREPARED_BYTES) return false;
    await this.#next(signal, others);
    return true;
  }

  /** @param listed What git has just found. */
  async #next(signal: AbortSignal, listed?: OtherFiles): Promise<RootState> {
    let found = await this.#pass(signal, listed);
    // A file that was written while git read it would be stored in a state that it never had.
    if (found.isUnsettled) found = await this.#pass(signal);
    const { tree, folders, nested, modes } = found;
    this.#indexTree = tree;
    const notHeld = found.isUnsettled ? [...found.notHeld, found.isUnsettled] : found.notHeld;
    return this.#keep({ tree, folders, nested, modes, notHeld });
  }

  #keep(found: Pick<RootState, "tree" | "folders" | "modes" | "nested" | "notHeld">): RootState {
    const { top, prefix } = this.#parts;
    const { tree, modes, folders, nested, notHeld } = found;
    const step = this.#step;
    const last = this.#last;
    const isSame = last?.tree === tree && last.modes === modes && isSameFolders(last.folders, folders);
    this.#last = isSame
      ? { ...last, nested, notHeld, step }
      : { top, prefix, tree, modes, folders, nested, step, notHeld };
    return this.#last;
  }

  /** Starts anew: the folder may be another one when it is there again. */
  #missing(): RootState {
    const { top, prefix, index } = this.#parts;
    rmSync(index, { force: true });
    this.#scan = new FolderScan(top, prefix);
    this.#last = undefined;
    this.#indexTree = undefined;
    this.#step += 1;
    this.#modes = new FileModes(top);
    const rest = { nested: [], notHeld: [], step: this.#step };
    return { top, prefix, tree: EMPTY_TREE, modes: NO_MODES, folders: NO_FOLDERS, ...rest };
  }

  /** An older time makes git compare more files by content, and never fewer (racy-git(7)). */
  #prepareIndex(): void {
    const { index, earlierIndex } = this.#parts;
    makePrivateFolder(dirname(index));
    rmSync(`${index}.lock`, { force: true });
    if (earlierIndex === undefined || earlierIndex === index) return;
    try {
      const { mtimeMs } = lstatSync(earlierIndex);
      copyFileSync(earlierIndex, index);
      const older = Math.floor(mtimeMs / 1000) - 1;
      utimesSync(index, older, older);
    } catch {
      rmSync(index, { force: true });
    }
  }

  /** Lets git look, and stores what it finds. @param listed What git has just found. */
  async #pass(signal: AbortSignal, listed?: OtherFiles) {
    const isFirst = this.#indexTree === undefined;
    this.#step += 1;
    const none: readonly string[] = [];
    const [dirty, others, early] = await Promise.all([
      existsSync(this.#parts.index) ? this.#stored.dirty(signal) : none,
      listed ?? this.#stored.others(isFirst, signal),
      this.#scan.look(signal),
    ]);
    const isBelowLink = this.#belowLinks();
    const paths = new Set([...dirty, ...others.paths].filter((path) => !isBelowLink(path)));
    const { seen, problems } = await this.#examine([...paths], others, signal);
    const stored = dirty.filter((path) => !seen.has(path));
    const { nested } = others;
    if (this.#indexTree !== undefined && seen.size + stored.length === 0) {
      const modes = await this.#modes.look([], signal);
      return { nested, tree: this.#indexTree, folders: early, modes, notHeld: problems, isUnsettled: undefined };
    }
    this.#inodes.note({ seen, dirty, step: this.#step });
    const known = this.#indexTree;
    // A failure may leave the index with a part of the changes.
    this.#indexTree = undefined;
    const failed = await this.#stored.update([...seen.keys()], signal);
    // A file that can't be stored any more must not stay in the state with its old content.
    await this.#stored.remove([...stored, ...failed.filter((path) => dirty.includes(path))], signal);
    const names = [...others.stored, ...seen.keys()];
    this.#scan.addAbove(names);
    const [folders, modes, tree] = await Promise.all([
      this.#scan.look(signal),
      this.#modes.look(names, signal),
      this.#tree(known, [...seen.keys(), ...stored], signal),
    ]);
    this.#indexTree = tree;
    const notHeld = [...problems, ...describe(failed, "could not be read")];
    const isUnsettled = await this.#unsettled(seen, signal);
    return { nested, tree, folders, modes, notHeld, isUnsettled };
  }

  /** The tree that the index holds. @param known The tree that it held before nothing but these paths changed. */
  async #tree(known: string | undefined, changed: readonly string[], signal: AbortSignal): Promise<string> {
    const { trees, index } = this.#parts;
    if (known === undefined || changed.length > MAX_EDITED) return this.#stored.writeTree(signal);
    const entries = indexFileEntries(readFileSync(index), changed);
    if (!entries) return this.#stored.writeTree(signal);
    return trees.withEntries(known, new Map(changed.map((path) => [path, entries.get(path)])), signal);
  }

  /** `seen`: the paths to store, with their present stats. `problems`: phrases about the others. */
  async #examine(paths: readonly string[], others: OtherFiles, signal: AbortSignal) {
    const seen = new Map<string, Stats | undefined>();
    const problems = [...describe(others.unreadable, "has a name that is not UTF-8")];
    let bytes = 0;
    await inSlices(paths, signal, (path) => {
      const stats = this.#lstat(path);
      const problem = stats && this.#problemOf(path, stats);
      if (problem === undefined) seen.set(path, stats);
      else problems.push(problem);
      bytes += problem === undefined ? (stats?.size ?? 0) : 0;
    });
    this.#assertSize(others.paths.length, bytes);
    return { seen, problems };
  }

  /** Git fails on what is below a link that took the place of a folder. */
  #belowLinks(): (path: string) => boolean {
    const isLink = new Map<string, boolean>();
    return (path) =>
      foldersAbove(path).some((folder) => {
        const known = isLink.get(folder) ?? this.#lstat(folder)?.isSymbolicLink() === true;
        isLink.set(folder, known);
        return known;
      });
  }

  #assertSize(files: number, bytes: number): void {
    const { maxFiles, maxNewBytes } = this.#parts.limits;
    if (files > maxFiles) throw new RootTooLargeError(`it has more than ${maxFiles.toLocaleString("en-US")} files`);
    if (bytes > maxNewBytes) throw new RootTooLargeError(`its files have more than ${inMb(maxNewBytes)}`);
  }

  #problemOf(path: string, stats: Stats): string | undefined {
    const { top, limits } = this.#parts;
    if (!stats.isFile()) return undefined;
    if (stats.size > limits.maxFileBytes) return `${join(top, path)} is larger than ${inMb(limits.maxFileBytes)}`;
    return hasRights(join(top, path), "r") ? undefined : `${join(top, path)} can't be read`;
  }

  /** A phrase about files that changed while they were stored; undefined if there are none. */
  async #unsettled(seen: ReadonlyMap<string, Stats | undefined>, signal: AbortSignal): Promise<string | undefined> {
    const changed: string[] = [];
    await inSlices([...seen], signal, ([path, before]) => {
      const now = this.#lstat(path);
      const isSame =
        now && before
          ? now.ino === before.ino && now.mtimeMs === before.mtimeMs && now.size === before.size
          : now === before;
      if (!isSame) changed.push(join(this.#parts.top, path));
    });
    return describe(changed, "changed while it was stored")[0];
  }

  #lstat(path: string): Stats | undefined {
    return statsAt(join(this.#parts.top, path));
  }
}

/** The folders above a relative path, the deepest first, without the top. */
function foldersAbove(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) found.push(path.slice(0, at));
  return found;
}

function isFolder(path: string): boolean {
  return statsAt(path)?.isDirectory() === true;
}

function isSameFolders(a: ScannedFolders, b: ScannedFolders): boolean {
  return isSameMap(a.empty, b.empty) && isSameMap(a.modes, b.modes) && a.usualMode === b.usualMode;
}

function isSameMap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

/** One phrase for paths with the same problem. */
function describe(paths: readonly string[], problem: string): readonly string[] {
  if (paths.length === 0) return [];
  return [`${namedFew(paths.map(printable), KEPT_NAMES)} ${problem}`];
}

function printable(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}

function inMb(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.floor(bytes / 1024 / 1024)} MB`;
}
