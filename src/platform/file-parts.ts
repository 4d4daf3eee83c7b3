import { closeSync, constants, openSync, readSync } from "node:fs";

/** An open file of which parts are read as text. */
export class FileParts implements Disposable {
  readonly #fd: number;

  /** @throws {Error} a system error. */
  constructor(path: string) {
    this.#fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  }

  /**
   * The text of a part; shorter if the file ends before.
   * @param offset In bytes, like `bytes`.
   * @throws {Error} a system error.
   */
  text(offset: number, bytes: number): string {
    const buffer = Buffer.allocUnsafe(bytes);
    let read = 0;
    while (read < bytes) {
      const count = readSync(this.#fd, buffer, read, bytes - read, offset + read);
      if (count === 0) break;
      read += count;
    }
    return buffer.toString("utf8", 0, read);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
