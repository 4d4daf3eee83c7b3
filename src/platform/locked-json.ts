import { dirname } from "node:path";
import { errorMessage } from "../contracts/errors.ts";
import { parsedJson } from "../contracts/parsed-json.ts";
import { readStamp } from "./files/file-stamp.ts";
import { waitForLock } from "./lock-file.ts";
import { realPathOrSelf } from "./paths.ts";
import { makePrivateFolder, readSmallText, replacePrivateFile } from "./private-file.ts";

/** A larger file was not written by Quoll. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const LOCK_WAIT_MS = 5_000;
/** Permission bits that let others write to the file. */
const WRITABLE_BY_OTHERS = 0o022;

export type LockedJson<Value> = {
  /** Absolute; its folder is created at the first write. */
  readonly file: string;
  /** Checks the parsed JSON. @returns undefined if it has another form. */
  readonly read: (json: unknown) => Value | undefined;
  /** The content of a missing file. */
  readonly empty: Value;
  /** The content in words: "a list of trusted folders". */
  readonly what: string;
  /** How long to wait for another program that changes the file, in milliseconds; 5 s unless given. */
  readonly lockWaitMs?: number;
  /** A larger file is neither written nor read; 4 MiB unless given. */
  readonly maxBytes?: number;
};

/** @throws {Error} with one phrase: the file is invalid, too large, or writable by others. */
export async function readLockedJson<Value>(kept: LockedJson<Value>): Promise<Value> {
  const { file, read, empty, what } = kept;
  const text = await readText(kept);
  if (text === undefined) return empty;
  const stamp = await readStamp(realPathOrSelf(file));
  if (stamp && (stamp.mode & WRITABLE_BY_OTHERS) !== 0) throw new Error(`${file} can be written by other users`);
  const value = read(parsedJson(text));
  if (value === undefined) throw new Error(`${file} is not ${what} that this version can read`);
  return value;
}

/**
 * Replaces the whole file, under a lock, with the result of `edit` on its current content.
 * @throws {Error} with one phrase: the file can't be locked, read or written.
 */
export async function changeLockedJson<Value>(kept: LockedJson<Value>, edit: (value: Value) => Value): Promise<Value> {
  const { file, lockWaitMs = LOCK_WAIT_MS, maxBytes = MAX_FILE_BYTES } = kept;
  let attempt: Awaited<ReturnType<typeof waitForLock>>;
  try {
    makePrivateFolder(dirname(file));
    attempt = await waitForLock(`${file}.lock`, lockWaitMs);
  } catch (error) {
    throw new Error(`${file} could not be locked (${errorMessage(error)})`, { cause: error });
  }
  if (!("lock" in attempt)) throw new Error(`${file} is being changed by another program`);
  using _lock = attempt.lock;
  const after = edit(await readLockedJson(kept));
  const text = `${JSON.stringify(after, null, 2)}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw new Error(`${file} would have ${bytes} bytes; the limit is ${maxBytes}`);
  try {
    replacePrivateFile(file, text);
  } catch (error) {
    throw new Error(`${file} could not be written (${errorMessage(error)})`, { cause: error });
  }
  return after;
}

async function readText({
  file,
  maxBytes = MAX_FILE_BYTES,
}: Pick<LockedJson<unknown>, "file" | "maxBytes">): Promise<string | undefined> {
  try {
    return await readSmallText(file, maxBytes);
  } catch (error) {
    throw new Error(`${file} could not be read (${errorMessage(error)})`, { cause: error });
  }
}
