import { closeSync, constants, fdatasync, fstatSync, ftruncateSync, futimesSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateFolder, PRIVATE_FILE_MODE, writeAll } from "./private-file.ts";

const NEWLINE = 0x0a;

function flush(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(fd, (error) => (error ? reject(error) : resolve())));
}

/**
 * An append-only file, written by one process. When `append` returns, the kernel has the data, so it survives this
 * process; after `sync` it also survives a crash of the machine.
 */
export class AppendFile implements Disposable {
  readonly path: string;
  readonly #fd: number;
  #size: number;
  #dirty = false;
  #flushing: Promise<void> = Promise.resolve();
  #closed = false;
  /** Set when a partial entry could not be removed: the next entry would be appended to that part. */
  #broken: unknown;

  /** Opens the file; creates it (0600) and its folder (0700) when missing. @throws {Error} a system error. */
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
   * Writes all of `text` or nothing: a partial write on a full disk is removed.
   * @throws {Error} a system error: nothing of `text` was written.
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

  /** Milliseconds since the epoch. @throws {Error} a system error. */
  get modifiedAt(): number {
    return fstatSync(this.#fd).mtimeMs;
  }

  /** Appends whole lines; a line that a crash has cut off is ended first. @throws {Error} as `append`. */
  appendLines(lines: string): void {
    const last = Buffer.alloc(1);
    const isWhole = this.#size === 0 || (readSync(this.#fd, last, 0, 1, this.#size - 1) === 1 && last[0] === NEWLINE);
    this.append(isWhole ? lines : `\n${lines}`);
  }

  /**
   * Sets the file's modification time.
   * @param time Milliseconds since the epoch; by default now.
   * @throws {Error} a system error.
   */
  touch(time = Date.now()): void {
    futimesSync(this.#fd, time / 1_000, time / 1_000);
  }

  /** Truncates the file to `size` bytes. */
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
    // A running flush may not cover later appends, so the next caller waits for another one.
    await this.#flushing;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #takeBack(error: unknown): void {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      this.#broken = error;
    }
  }
}
