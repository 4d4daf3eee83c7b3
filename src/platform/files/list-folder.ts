import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { errorCode } from "../../contracts/errors.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import { fileError } from "./file-error.ts";

export type FolderEntry = { readonly name: string; readonly kind: "file" | "folder" | "link" | "other" };

/** The entries of a folder, by name. @throws {ToolFailedError} the folder is missing or unreadable. */
export async function listFolder(path: string): Promise<readonly FolderEntry[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  } catch (error) {
    throw fileError(error, path);
  }
}

function kindOf(entry: Dirent): FolderEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** The entries of a folder; none when it can't be read. */
export function listFolderSync(path: string): readonly FolderEntry[] {
  return (
    orUndefined(() =>
      readdirSync(path, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
    ) ?? []
  );
}

/** The names in a folder; undefined when it can't be read. */
export function namesIn(folder: string): readonly string[] | undefined {
  return orUndefined(() => readdirSync(folder));
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
