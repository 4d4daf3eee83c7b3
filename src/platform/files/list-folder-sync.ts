import { lstatSync, readdirSync } from "node:fs";
import { errorCode } from "../../contracts/errors.ts";

export type FolderEntryKind = { readonly name: string; readonly kind: "file" | "folder" | "link" | "other" };

/** The entries of a folder; none when it can't be read. */
export function listFolderSync(path: string): readonly FolderEntryKind[] {
  try {
    return readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isSymbolicLink() ? "link" : entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other",
    }));
  } catch {
    return [];
  }
}

/** The names in a folder; undefined when it can't be read. */
export function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

/** True if a path is certainly missing; false when the system denies the check. */
export function isMissing(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR";
  }
}

/** True if a file or folder is empty. False for other entries and unreadable ones. */
export function isEmpty(path: string): boolean {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() ? readdirSync(path).length === 0 : stats.isFile() && stats.size === 0;
  } catch {
    return false;
  }
}
