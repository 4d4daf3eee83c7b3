import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { errorCode } from "../contracts/errors.ts";
import { listFolderSync } from "./files/list-folder.ts";
import { type ByteLine, readByteLines } from "./read-byte-lines.ts";

/** A line as text; see `ByteLine`. */
export type FileLine = Omit<ByteLine, "bytes"> & { readonly text: string };

/** The lines of a file as text, otherwise like `readByteLines`. */
export function* readLines(path: string, from = 0): Generator<FileLine> {
  for (const { bytes, ...place } of readByteLines(path, from)) yield { text: bytes.toString("utf8"), ...place };
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
  const all = listFolderSync(folder);
  return all.flatMap(({ name, kind }) => (kind === "file" ? [name] : [])).sort();
}
