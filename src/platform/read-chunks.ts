import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { errorCode } from "../contracts/errors.ts";

/** Bytes per read. */
export const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export type FileLine = {
  readonly text: string;
  /** Offset of its first byte in the file. */
  readonly offset: number;
  /** Offset of the first byte behind it and its line feed. */
  readonly end: number;
  /** False for a last line without a line feed. */
  readonly complete: boolean;
};

/**
 * Streams the lines of a file in 1 MiB pieces; keeps only the current line in memory. If the file grows in the
 * meantime, it is read only up to its size at the start.
 * @param from Bytes to skip, up to the beginning of a line.
 * @throws {Error} a system error, or the file is not a regular file.
 */
export function* readLines(path: string, from = 0): Generator<FileLine> {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const kind = fstatSync(fd);
    if (!kind.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: "EINVAL" });
    yield* linesOf(fd, from, kind.size);
  } finally {
    closeSync(fd);
  }
}

function* linesOf(fd: number, start: number, size: number): Generator<FileLine> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size - start, 1)));
  let decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let lineStart = start;
  let position = start;
  while (position < size) {
    const count = readSync(fd, chunk, 0, Math.min(chunk.length, size - position), position);
    if (count === 0) break;
    let from = 0;
    for (;;) {
      const found = chunk.subarray(0, count).indexOf(NEWLINE, from);
      if (found < 0) break;
      pieces.push(decoder.end(chunk.subarray(from, found)));
      from = found + 1;
      const end = position + from;
      yield { text: pieces.join(""), offset: lineStart, end, complete: true };
      pieces = [];
      decoder = new StringDecoder("utf8");
      lineStart = end;
    }
    pieces.push(decoder.write(chunk.subarray(from, count)));
    position += count;
  }
  pieces.push(decoder.end());
  const rest = pieces.join("");
  if (rest !== "" || lineStart < position) yield { text: rest, offset: lineStart, end: position, complete: false };
}

/** The first bytes of a file as text, without a character cut at the end. */
export function readHead(path: string, maxBytes: number): string {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const buffer = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(fstatSync(fd).size, 1)));
    return new StringDecoder("utf8").write(buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0)));
  } finally {
    closeSync(fd);
  }
}

export type ListedFile = {
  readonly name: string;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  readonly bytes: number;
};

/** The regular files of a folder with a given suffix; none when the folder is missing. */
export function listFiles(folder: string, ending: string): readonly ListedFile[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  const files: ListedFile[] = [];
  for (const name of names) {
    if (!name.endsWith(ending)) continue;
    // `join` would take as long as the system call.
    const path = `${folder}/${name}`;
    const kind = statSync(path, { throwIfNoEntry: false });
    if (kind?.isFile()) files.push({ name, path, modifiedAt: kind.mtimeMs, bytes: kind.size });
  }
  return files;
}

/** The names of the folders in a folder; none if it does not exist. @throws {Error} the folder can't be read. */
export function listFolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The names of the regular files in a folder, sorted; none if it can't be read. */
export function fileNames(folder: string): readonly string[] {
  try {
    const all = readdirSync(folder, { withFileTypes: true });
    return all.flatMap((one) => (one.isFile() ? [one.name] : [])).sort();
  } catch {
    return [];
  }
}
