import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { waitForLock } from "../../platform/lock-file.ts";
import { makePrivateFolder, readSmallText, replacePrivateFile } from "../../platform/private-file.ts";

const FILE_NAME = "redaction-key";
const KEY_BYTES = 32;
const MAX_FILE_BYTES = 1024;
const LOCK_WAIT_MS = 2_000;
const KEY_TEXT = new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`);

/**
 * The key for placeholder names: created at the first call and stored in the state folder, readable only by this user,
 * so that a secret has the same placeholder in every session. A file without a valid key is replaced; older
 * placeholders can't be restored afterwards. When the file can't be read or written, returns a key for this process
 * only. Never rejects.
 */
export async function redactionKey(stateFolder: string): Promise<Uint8Array> {
  const path = join(stateFolder, FILE_NAME);
  try {
    return (await readKey(path)) ?? (await keepNewKey(path, stateFolder));
  } catch {
    return randomBytes(KEY_BYTES);
  }
}

/** Uses a lock, so that two processes that start at once get the same key. */
async function keepNewKey(path: string, stateFolder: string): Promise<Uint8Array> {
  makePrivateFolder(stateFolder);
  const attempt = await waitForLock(`${path}.lock`, LOCK_WAIT_MS);
  try {
    const other = await readKey(path);
    if (other) return other;
    const made = randomBytes(KEY_BYTES);
    replacePrivateFile(path, `${made.toString("hex")}\n`);
    return made;
  } finally {
    if ("lock" in attempt) attempt.lock.release();
  }
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const text = (await readSmallText(path, MAX_FILE_BYTES))?.trim();
  return text !== undefined && KEY_TEXT.test(text) ? Buffer.from(text, "hex") : undefined;
}
