import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { realPathOrSelf } from "./paths.ts";

export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

/** Makes a folder and what is missing above it, for this user alone. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
}

/**
 * The text of a small regular file, without a byte order mark; undefined when there is none.
 * @throws {Error} it is no regular file (nothing else is ever opened), larger than `maxBytes`, or the system refused.
 */
export async function readSmallText(path: string, maxBytes: number): Promise<string | undefined> {
  const kind = statSync(path, { throwIfNoEntry: false });
  if (!kind) return undefined;
  if (!kind.isFile()) throw new Error("it is not a regular file");
  if (kind.size > maxBytes) throw new Error(`it has ${kind.size} bytes, ${maxBytes} at most are read`);
  const text = await readFile(path, "utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/**
 * Writes a file of our own whole or not at all (a temporary file beside it, flushed, renamed over it), readable by this user
 * alone. A link is kept: what it points to is replaced.
 */
export function replacePrivateFile(path: string, text: string): void {
  const target = realPathOrSelf(path);
  const temporary = join(dirname(target), `.${randomBytes(8).toString("hex")}.tmp`);
  try {
    const fd = openSync(temporary, "wx", PRIVATE_FILE_MODE);
    try {
      writeAll(fd, Buffer.from(text));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** `writeSync` may take less than it was given. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
}
