import { chmodSync, closeSync, ftruncateSync, lstatSync, openSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { entryExists } from "../../../platform/paths.ts";

/** Git compares whether the owner may run a file; nobody may read or write it. */
const RUNNABLE = 0o100;

/**
 * Makes an empty file with the size and the modification time of another, which no confined program can read. It takes
 * no room on the disk.
 * @param folder A private folder.
 * @returns undefined if the file at `path` is not a regular file.
 */
export function standInFor(path: string, folder: string): string | undefined {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    const mode = Number(stats.mode) & RUNNABLE;
    const file = join(folder, `stand-in-${stats.size}-${stats.mtimeNs}-${mode}`);
    if (entryExists(file)) return file;
    const made = openSync(file, "wx", 0o600);
    ftruncateSync(made, Number(stats.size));
    closeSync(made);
    const seconds = Number(stats.mtimeNs / 1_000_000_000n);
    utimesSync(file, seconds, seconds);
    chmodSync(file, mode);
    return file;
  } catch {
    return undefined;
  }
}
