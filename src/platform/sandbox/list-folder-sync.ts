import { readdirSync } from "node:fs";

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
