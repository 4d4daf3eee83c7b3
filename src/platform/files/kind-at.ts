import { accessSync, constants, statSync } from "node:fs";
import { orUndefined } from "../../contracts/or-undefined.ts";

/** The kind of entry at a path, links followed. */
export function kindAt(path: string): "file" | "folder" | "other" | undefined {
  const stats = orUndefined(() => statSync(path));
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "other";
}

/**
 * True for a file, links followed, of this user or of the administrator. The administrator can read every file, so for
 * this user every file counts.
 */
export function isOwnFile(path: string): boolean {
  const stats = orUndefined(() => statSync(path));
  const self = process.getuid?.() ?? 0;
  return stats?.isFile() === true && (self === 0 || stats.uid === 0 || stats.uid === self);
}

const RIGHTS = { r: constants.R_OK, x: constants.X_OK, wx: constants.W_OK | constants.X_OK };

/** True if this process has these rights at a path; `x` at a folder is the right to enter it. */
export function hasRights(path: string, rights: keyof typeof RIGHTS): boolean {
  try {
    accessSync(path, RIGHTS[rights]);
    return true;
  } catch {
    return false;
  }
}
