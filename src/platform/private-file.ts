import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
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

function replaceWhole(target: string, text: string, { mode, isFlushed = true }: Writing): void {
  const temporary = join(dirname(target), `.${randomBytes(8).toString("hex")}.tmp`);
  try {
    const fd = openSync(temporary, "wx", PRIVATE_FILE_MODE);
    try {
      writeAll(fd, Buffer.from(text));
      if (mode !== PRIVATE_FILE_MODE) fchmodSync(fd, mode);
      if (isFlushed) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** `writeSync` may write only a part. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
}
