import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { orUndefined } from "../../contracts/or-undefined.ts";
import { createPrivateFile, makePrivateFolder, replacePrivateFile } from "../../platform/private-file.ts";
import { readOrProblem } from "../../platform/read-small-file.ts";

const FILE_NAME = "redaction-key";
const KEY_BYTES = 32;
const MAX_FILE_BYTES = 1024;
const KEY_TEXT = new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`);

/**
 * The key for placeholder names: created at the first call and stored in the state folder, readable only by this user,
 * so that a secret has the same placeholder in every session. A file without a valid key is replaced; older
 * placeholders can't be restored afterwards. When the file can't be read or written, returns a key for this process
 * only. Never throws.
 */
export function redactionKey(stateFolder: string): Uint8Array {
  const path = join(stateFolder, FILE_NAME);
  return orUndefined(() => readKey(path) ?? keepNewKey(path, stateFolder)) ?? randomBytes(KEY_BYTES);
}

/** Of two processes that start at once, the second finds the file of the first. */
function keepNewKey(path: string, stateFolder: string): Uint8Array {
  makePrivateFolder(stateFolder);
  const made = randomBytes(KEY_BYTES);
  const text = `${made.toString("hex")}\n`;
  if (createPrivateFile(path, text)) return made;
  const other = readKey(path);
  if (other) return other;
  replacePrivateFile(path, text);
  return made;
}

/** @returns undefined if there is no file, or one without a key. @throws {Error} the file can't be read. */
function readKey(path: string): Uint8Array | undefined {
  const read = readOrProblem(path, MAX_FILE_BYTES);
  if ("problem" in read && read.problem !== "missing") throw new Error(read.problem);
  const text = "bytes" in read ? read.bytes.toString("utf8").trim() : "";
  return KEY_TEXT.test(text) ? Buffer.from(text, "hex") : undefined;
}
