import { closeSync, constants, fdatasync, fstatSync, ftruncateSync, futimesSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { makePrivateFolder, PRIVATE_FILE_MODE, writeAll } from "./private-file.ts";

const flush = promisify(fdatasync);

/**
 * A file that only grows, written by one process. Each `append` is in the kernel when it returns, so that it outlives this
 * process; after `sync` it outlives the machine's crash too.
 */
export class AppendFile {
  readonly path: string;
  readonly #fd: number;
  #size: number;
  #dirty = false;
  #flushing: Promise<void> = Promise.resolve();
  #closed = false;
  /** Set when a piece of an entry could not be taken back: what came after it would be glued to it. */
  #broken: unknown;

  /** Opens the file, making it (0600) and its folder (0700) when missing. @throws {Error} a system error. */
  constructor(path: string) {
    this.path = path;
    makePrivateFolder(dirname(path));
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    this.#fd = openSync(path, flags, PRIVATE_FILE_MODE);
    this.#size = fstatSync(this.#fd).size;
  }

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Writes all of `text` or nothing: what a full disk cut off is taken back.
   * @throws {Error} a system error: nothing of `text` counts as written.
   */
  append(text: string): void {
    if (this.#closed) throw new Error("The file is closed.");
    if (this.#broken !== undefined) throw this.#broken;
    const bytes = Buffer.from(text);
    try {
      writeAll(this.#fd, bytes);
    } catch (error) {
      this.#takeBack(error);
      throw error;
    }
    this.#size += bytes.length;
    this.#dirty = true;
  }

  /** Makes the file the one that was changed last. @throws {Error} a system error. */
  touch(): void {
    const now = new Date();
    futimesSync(this.#fd, now, now);
  }

  /** Cuts the end off, down to `size` bytes. */
  truncate(size: number): void {
    ftruncateSync(this.#fd, size);
    this.#size = size;
    this.#dirty = true;
  }

  /** Waits until everything appended so far is on the disk. */
  async sync(): Promise<void> {
    if (this.#closed) return;
    if (this.#dirty) {
      this.#dirty = false;
      this.#flushing = flush(this.#fd).catch((error: unknown) => {
        this.#dirty = true;
        throw error;
      });
    }
    // Also for whoever comes while another flush is under way: what it covers may be theirs.
    await this.#flushing;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#fd);
  }

  #takeBack(error: unknown): void {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      this.#broken = error;
    }
  }
}
