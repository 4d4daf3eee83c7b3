import { closeSync, constants, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { errorCode, ToolFailedError } from "../../contracts/errors.ts";
import type { FileStamp } from "../../contracts/files.ts";
import { stampOf } from "./file-stamp.ts";

/** Opens a place in the tree without reading it, so that a folder that may only be entered can be held too (open(2)). */
const O_PATH_ON_LINUX = 0o10000000;

/**
 * A folder held, so that what is done in it can't be led elsewhere by a link that is put in its way meanwhile.
 *
 * On Linux the folder is opened once, its real path is read back from `/proc/self/fd/N`, and every entry is reached as
 * `/proc/self/fd/N/name`: whatever is swapped above it, that is the folder that was judged. Elsewhere, and without /proc,
 * entries are reached by their path, and `verify` compares path and identity (device, inode) with what was held. There a
 * window is left between `verify` and the call that follows it: a folder that is swapped within it may be given a new, empty
 * name, but no byte: a file is compared with the one that was looked at before and after it was opened, each time between two
 * looks at the folder, and the one that is written is a temporary file, known by its handle, whose random name no other folder
 * holds.
 */
export class HeldFolder {
  readonly path: string;
  /** An open descriptor; undefined where entries are reached by path. */
  readonly #fd: number | undefined;
  /** Its identity; undefined where the descriptor says it. */
  readonly #stamp: FileStamp | undefined;

  private constructor(path: string, by: { readonly fd: number } | { readonly stamp: FileStamp }) {
    this.path = path;
    this.#fd = "fd" in by ? by.fd : undefined;
    this.#stamp = "stamp" in by ? by.stamp : undefined;
  }

  /**
   * Nothing of the folder is read: no disk that is slow to answer keeps others waiting for longer than a look at the path does.
   * @param path Absolute and resolved, as it was judged.
   * @param byHandle False for systems where entries can't be reached through an open folder.
   * @throws {ToolFailedError} the path leads elsewhere now; a system error when it can't be held (ENOENT, ENOTDIR, EACCES …).
   */
  static hold(path: string, byHandle = process.platform === "linux"): HeldFolder {
    return HeldFolder.#hold(path, path, byHandle);
  }

  static #hold(path: string, reachedBy: string, byHandle: boolean): HeldFolder {
    const fd = byHandle ? openFolder(path, reachedBy) : undefined;
    const held = fd === undefined ? new HeldFolder(path, { stamp: folderStamp(path) }) : new HeldFolder(path, { fd });
    try {
      held.verify();
      return held;
    } catch (error) {
      held.close();
      throw error;
    }
  }

  /** Whether entries are reached through an open descriptor, and not by a path that may come to lead elsewhere. */
  get isByHandle(): boolean {
    return this.#fd !== undefined;
  }

  /** By what an entry is reached; the name must be one, not a path. */
  entry(name: string): string {
    return this.#fd === undefined ? join(this.path, name) : `/proc/self/fd/${this.#fd}/${name}`;
  }

  /** @throws {ToolFailedError} the path no longer leads to this folder. */
  verify(): void {
    if (!this.#isHere()) throw changedMeanwhile(this.path);
  }

  /** The stamp of an entry (a link is not followed), or undefined when there is none. Gives nobody else a turn. */
  stampOf(name: string): FileStamp | undefined {
    this.verify();
    const stats = lstatSync(this.entry(name), { throwIfNoEntry: false });
    // By path the look itself may have been led elsewhere.
    if (!this.isByHandle) this.verify();
    return stats && stampOf(stats);
  }

  /** A folder in this one, held in its turn. @throws as `hold`. */
  enter(name: string): HeldFolder {
    return HeldFolder.#hold(join(this.path, name), this.entry(name), this.#fd !== undefined);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  #isHere(): boolean {
    if (this.#fd !== undefined) return procPath(this.#fd) === this.path;
    try {
      if (realpathSync(this.path) !== this.path) return false;
      const now = lstatSync(this.path);
      return now.ino === this.#stamp?.inode && now.dev === this.#stamp.device;
    } catch {
      return false;
    }
  }
}

export function changedMeanwhile(path: string): ToolFailedError {
  return new ToolFailedError(`${path} changed while it was judged: nothing was read or written; call again.`);
}

/** @returns a descriptor by which entries can be reached; undefined without /proc. */
function openFolder(path: string, reachedBy: string): number | undefined {
  try {
    const fd = openSync(reachedBy, O_PATH_ON_LINUX | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0));
    if (procPath(fd) !== undefined) return fd;
    closeSync(fd);
    return undefined;
  } catch (error) {
    throw isLink(error, reachedBy) ? changedMeanwhile(path) : error;
  }
}

function folderStamp(path: string): FileStamp {
  const stamp = stampOf(lstatSync(path));
  if (stamp.kind === "folder") return stamp;
  if (stamp.kind === "link") throw changedMeanwhile(path);
  throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
}

/** A link opened as a folder without following it: ELOOP, or ENOTDIR where O_PATH takes the link itself. */
function isLink(error: unknown, path: string): boolean {
  const code = errorCode(error);
  if (code === "ELOOP") return true;
  return code === "ENOTDIR" && (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false);
}

/** Where an open descriptor leads to now, or undefined without /proc. */
function procPath(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}
