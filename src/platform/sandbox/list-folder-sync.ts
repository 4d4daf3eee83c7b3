import { lstatSync, readdirSync } from "node:fs";

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

/** Whether a file or a folder holds nothing. False for anything else, and for what can't be looked at. */
export function isEmpty(path: string): boolean {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() ? readdirSync(path).length === 0 : stats.isFile() && stats.size === 0;
  } catch {
    return false;
  }
}
