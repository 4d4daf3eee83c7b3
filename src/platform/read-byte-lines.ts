import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Bytes per read. */
export const CHUNK_BYTES = 1024 * 1024;
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
 * Reads the lines of a file as bytes, for readers that need few of the lines as text. If the file grows in the
 * meantime, it is read only up to its size at the start.
 * @param from Bytes to skip, up to the beginning of a line.
 * @throws {Error} a system error, or the file is not a regular file.
 */
export function* readByteLines(path: string, from = 0): Generator<ByteLine> {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const kind = fstatSync(fd);
    if (!kind.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: "EINVAL" });
    yield* linesOf(fd, from, kind.size);
  } finally {
    closeSync(fd);
  }
}

function* linesOf(fd: number, from: number, size: number): Generator<ByteLine> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size - from, 1)));
  const pieces: Buffer[] = [];
  let offset = from;
  for (let position = from; position < size; ) {
    const count = readSync(fd, buffer, 0, Math.min(buffer.length, size - position), position);
    if (count === 0) break;
    const chunk = buffer.subarray(0, count);
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
  if (pieces.length === 0) return;
  const bytes = Buffer.concat(pieces);
  yield { bytes, offset, end: offset + bytes.length, complete: false };
}
