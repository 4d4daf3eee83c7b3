import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Bytes per read. */
const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export type ByteLine = {
  /** The line without its line feed; valid until the next line is read. */
  readonly bytes: Buffer;
  /** Offset of its first byte in the file. */
  readonly offset: number;
  /** Offset of the first byte behind its line feed. */
  readonly end: number;
  /** False for a last line without a line feed. */
  readonly complete: boolean;
};

/**
 * Reads the complete lines of files as bytes, for readers that need few of the lines as text. The buffer is kept from
 * file to file, which makes the reading of thousands of small files twice as fast.
 */
export class ByteLines {
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);

  /**
   * The lines that end with a line feed. If the file grows in the meantime, it is read only up to its size at the start.
   * @param from Bytes to skip, up to the beginning of a line.
   * @param withRest True to get a last line without a line feed too.
   * @throws {Error} a system error, or the file is not a regular file.
   */
  *read(path: string, from: number, withRest = false): Generator<ByteLine> {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const kind = fstatSync(fd);
      if (!kind.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: "EINVAL" });
      const rest = yield* this.#linesOf(fd, from, kind.size);
      if (withRest && rest.bytes.length > 0) yield rest;
    } finally {
      closeSync(fd);
    }
  }

  *#linesOf(fd: number, from: number, size: number): Generator<ByteLine, ByteLine> {
    const pieces: Buffer[] = [];
    let offset = from;
    for (let position = from; position < size; ) {
      const count = readSync(fd, this.#chunk, 0, Math.min(CHUNK_BYTES, size - position), position);
      if (count === 0) break;
      const chunk = this.#chunk.subarray(0, count);
      let start = 0;
      for (let found = chunk.indexOf(NEWLINE); found >= 0; found = chunk.indexOf(NEWLINE, start)) {
        const last = chunk.subarray(start, found);
        const bytes = pieces.length === 0 ? last : Buffer.concat([...pieces.splice(0), last]);
        start = found + 1;
        yield { bytes, offset, end: position + start, complete: true };
        offset = position + start;
      }
      // The buffer is used again, so the beginning of a long line is copied.
      if (start < count) pieces.push(Buffer.from(chunk.subarray(start)));
      position += count;
    }
    const bytes = Buffer.concat(pieces);
    return { bytes, offset, end: offset + bytes.length, complete: false };
  }
}
