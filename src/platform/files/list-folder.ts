import { readdir } from "node:fs/promises";
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

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FolderEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
