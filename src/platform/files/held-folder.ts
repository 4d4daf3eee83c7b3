import { closeSync, constants, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { errorCode, ToolFailedError } from "../../contracts/errors.ts";
import type { FileStamp } from "../../contracts/files.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import { stampOf } from "./file-stamp.ts";

/**
 * Opens a folder without permission to read it, so that a folder that may only be entered can be held too (open(2)).
 */
const O_PATH_ON_LINUX = 0o10000000;

/**
 * A folder that stays the same folder even if its path is replaced by a link in the meantime.
 *
 * On Linux the folder is opened once, its real path is read from `/proc/self/fd/N`, and every entry is reached as
 * `/proc/self/fd/N/name`, so changes above the folder have no effect. Elsewhere, and without /proc, entries are reached
 * by their path, and `verify` compares path and identity (device, inode) with the held folder. There, a folder can
 * still be replaced between `verify` and the next call. The replacing folder may then get a new, empty entry, but no
 * content: files are compared before and after they are opened, each time between two checks of the folder, and written
 * data goes to a temporary file with a random name, through its handle.
 */
export class HeldFolder implements Disposable {
  readonly path: string;
  /** An open descriptor; undefined if entries are reached by path. */
  readonly #fd: number | undefined;
  /** The folder's identity; undefined if there is a descriptor. */
  readonly #stamp: FileStamp | undefined;

  private constructor(path: string, by: { readonly fd: number } | { readonly stamp: FileStamp }) {
    this.path = path;
    this.#fd = "fd" in by ? by.fd : undefined;
    this.#stamp = "stamp" in by ? by.stamp : undefined;
  }

  /**
   * Does not read the folder, so that a slow disk delays nothing longer than a check of the path does.
   * @param path Absolute and resolved, as it was judged.
   * @param byHandle False for systems where entries can't be reached through an open folder.
   * @throws {ToolFailedError} the path now leads elsewhere; a system error if the folder can't be held (ENOENT,
   * ENOTDIR, EACCES …).
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

  /** True if entries are reached through an open descriptor instead of by path. */
  get isByHandle(): boolean {
    return this.#fd !== undefined;
  }

  /** The path by which an entry is reached; `name` must be a name, not a path. */
  entry(name: string): string {
    return this.#fd === undefined ? join(this.path, name) : `/proc/self/fd/${this.#fd}/${name}`;
  }

  /** The path by which a child process reaches this folder, even if its path is replaced in the meantime. */
  get forChild(): string {
    return this.#fd === undefined ? this.path : descriptorPath(this.#fd);
  }

  /** @throws {ToolFailedError} the path no longer leads to this folder. */
  verify(): void {
    if (!this.#isHere()) throw changedMeanwhile(this.path);
  }

  /** The stamp of an entry (links are not followed); undefined if it does not exist. Synchronous. */
  stampOf(name: string): FileStamp | undefined {
    this.verify();
    const stats = lstatSync(this.entry(name), { throwIfNoEntry: false });
    // Without a handle, the path may have led to another folder in the meantime, so verify it again.
    if (!this.isByHandle) this.verify();
    return stats && stampOf(stats);
  }

  /** Holds a folder in this one. @throws as `hold`. */
  enter(name: string): HeldFolder {
    return HeldFolder.#hold(join(this.path, name), this.entry(name), this.#fd !== undefined);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
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

/** The path by which a child process reaches what this process holds open (Linux). */
export function descriptorPath(fd: number): string {
  return `/proc/${process.pid}/fd/${fd}`;
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

/** Opening a link as a folder without following it fails with ELOOP, or ENOTDIR if O_PATH opens the link itself. */
function isLink(error: unknown, path: string): boolean {
  const code = errorCode(error);
  if (code === "ELOOP") return true;
  return code === "ENOTDIR" && (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false);
}

/** The current path of an open descriptor; undefined without /proc. */
function procPath(fd: number): string | undefined {
  return orUndefined(() => readlinkSync(`/proc/self/fd/${fd}`));
}
