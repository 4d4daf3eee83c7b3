import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../contracts/errors.ts";
import { orUndefined } from "../contracts/or-undefined.ts";
import { randomHex } from "./digest.ts";
import { realPathOrSelf } from "./paths.ts";

export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;
const SHARED_FILE_MODE = 0o666;
const MODE_BITS = 0o777;

/** Creates a folder with missing parents, accessible only by this user. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
}

/**
 * The text of a small regular file, without a byte order mark; undefined when there is none.
 * @throws {Error} the file is not a regular file (others are never opened), is larger than `maxBytes`, or the system
 * refused.
 */
export async function readSmallText(path: string, maxBytes: number): Promise<string | undefined> {
  const kind = statSync(path, { throwIfNoEntry: false });
  if (!kind) return undefined;
  if (!kind.isFile()) throw new Error("it is not a regular file");
  if (kind.size > maxBytes) throw new Error(`it has ${kind.size} bytes; the limit is ${maxBytes}`);
  const text = await readFile(path, "utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/**
 * Writes one of Quoll's own files atomically (a temporary file beside it, flushed, renamed over it), readable only by
 * this user. A link is kept and its target replaced.
 */
export function replacePrivateFile(path: string, text: string): void {
  replaceWhole(realPathOrSelf(path), text, { mode: PRIVATE_FILE_MODE });
}

/** Like `replacePrivateFile`, with the folder, for a file that only spares a repetition: a failure is ignored. */
export function replaceIfPossible(path: string, text: string): void {
  orUndefined(() => {
    makePrivateFolder(dirname(path));
    replacePrivateFile(path, text);
  });
}

/**
 * Like `replacePrivateFile`, but leaves an existing file as it is.
 * @returns false if there is one.
 */
export function createPrivateFile(path: string, text: string): boolean {
  return writeWhole(path, text, { mode: PRIVATE_FILE_MODE }, (temporary) => {
    try {
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      // A file system without hard links.
      renameSync(temporary, path);
      return true;
    }
  });
}

/**
 * Like `replacePrivateFile`, without waiting for the disk, which takes milliseconds in which no key is read: the file
 * survives the end of Quoll, but after a power failure it may be empty.
 */
export function replaceUnflushed(path: string, text: string): void {
  replaceWhole(realPathOrSelf(path), text, { mode: PRIVATE_FILE_MODE, isFlushed: false });
}

/**
 * Like `replacePrivateFile`, for a file that a team shares: the file keeps its mode, and a new file gets the usual
 * mode.
 */
export function replaceSharedFile(path: string, text: string): void {
  const target = realPathOrSelf(path);
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? SHARED_FILE_MODE & ~process.umask();
  replaceWhole(target, text, { mode: mode & MODE_BITS });
}

type Writing = { readonly mode: number; readonly isFlushed?: boolean };

function replaceWhole(target: string, text: string, writing: Writing): void {
  writeWhole(target, text, writing, (temporary) => renameSync(temporary, target));
}

/** Writes a temporary file beside the target, and has it put into place. */
function writeWhole<Result>(
  target: string,
  text: string,
  { mode, isFlushed = true }: Writing,
  place: (temporary: string) => Result,
): Result {
  const temporary = join(dirname(target), `.${randomHex(8)}.tmp`);
  try {
    const fd = openSync(temporary, "wx", PRIVATE_FILE_MODE);
    try {
      writeAll(fd, Buffer.from(text));
      if (mode !== PRIVATE_FILE_MODE) fchmodSync(fd, mode);
      if (isFlushed) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return place(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** `writeSync` may write only a part. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
}
