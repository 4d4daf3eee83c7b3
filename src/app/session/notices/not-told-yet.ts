import { join } from "node:path";
import { sha256 } from "../../../platform/digest.ts";
import { replaceIfPossible } from "../../../platform/private-file.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";

const HASH_CHARS = 16;
/** The maximum number of lines that are remembered; the oldest are dropped. */
const MAX_LINES = 3_000;
const MAX_BYTES = 64 * 1024;

/**
 * The lines that no earlier start on this machine has told. All of them count as told from now on.
 * @param folder Quoll's state folder.
 * @param about The name of the file that remembers the lines.
 */
export function notToldYet(folder: string, about: string, lines: readonly string[]): readonly string[] {
  const file = join(folder, "told", about);
  const before = (readSmallFile(file, MAX_BYTES) ?? "").split("\n").filter((line) => line !== "");
  const known = new Set(before);
  const hashed = lines.map((line) => ({ line, hash: sha256(line).slice(0, HASH_CHARS) }));
  const fresh = hashed.filter(({ hash }) => !known.has(hash));
  if (fresh.length === 0) return [];
  const all = [...new Set([...before, ...fresh.map(({ hash }) => hash)])];
  // Otherwise, the next start tells them again.
  replaceIfPossible(file, all.slice(-MAX_LINES).join("\n"));
  return fresh.map(({ line }) => line);
}
