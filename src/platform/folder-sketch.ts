import { readdirSync } from "node:fs";
import { join } from "node:path";
import { words } from "../contracts/words.ts";

/** Folders of installed or built files: only their names are listed. */
const OPAQUE: ReadonlySet<string> = new Set(
  words(".hg .svn .venv __pycache__ build dist node_modules target vendor venv"),
);
/** Limits of one sketch, since it is made before the first request while a person waits. */
const MAX_NAMES = 60;
const MAX_FOLDERS_READ = 20;
/** Folders with at most this many entries are listed in full even on a level that does not fit. */
const FEW_ENTRIES = 8;

export type FolderSketch = {
  readonly names: readonly string[];
  readonly isWhole: boolean;
  readonly closed: readonly string[];
};

/**
 * Lists the names in a folder, level by level: small projects in full; of large ones the upper levels and, one level
 * deeper, the content of folders with few entries.
 * @returns paths relative to the folder, folders with a `/` at their end, sorted within each folder; `isWhole` is false
 * when the list stops early; otherwise `closed` holds the names of the folders, such as `node_modules/`, whose content
 * is left out. An unreadable folder is listed without its content.
 * @param isHidden True for an absolute path to leave out with everything below it.
 */
export function folderSketch(root: string, isHidden: (path: string) => boolean): FolderSketch {
  const names: string[] = [];
  const closed = new Set<string>();
  let level = [""];
  let foldersRead = 0;
  while (level.length > 0) {
    const found: string[] = [];
    const below: string[] = [];
    const byFolder: string[][] = [];
    for (const folder of level) {
      foldersRead += 1;
      const own: string[] = [];
      byFolder.push(own);
      for (const entry of entriesOf(join(root, folder))) {
        // The level does not fit, and this folder is no small one: its other names change nothing.
        if (names.length > 0 && names.length + found.length > MAX_NAMES && own.length > FEW_ENTRIES) break;
        const path = folder + entry.name + (entry.isFolder ? "/" : "");
        if (isHidden(join(root, folder, entry.name))) continue;
        found.push(path);
        own.push(path);
        if (entry.isFolder && !OPAQUE.has(entry.name)) below.push(path);
        else if (entry.isFolder) closed.add(`${entry.name}/`);
      }
    }
    // A folder is listed in full or not at all, since a partial list would look complete.
    if (names.length > 0 && names.length + found.length > MAX_NAMES)
      return { names: [...names, ...ofSmallFolders(byFolder, MAX_NAMES - names.length)], isWhole: false, closed: [] };
    names.push(...found.slice(0, MAX_NAMES));
    if (found.length > MAX_NAMES || foldersRead + below.length > MAX_FOLDERS_READ)
      return { names, isWhole: false, closed: [] };
    level = below;
  }
  return { names, isWhole: true, closed: [...closed] };
}

/** A name as a list for the model holds it: it is untrusted text, so an ambiguous one is quoted. */
export function listedName(name: string): string {
  return /[\s\p{C}<>"]/u.test(name) ? JSON.stringify(name).replace(/[<>\p{C}]/gu, "?") : name;
}

/** As many names of the smallest folders as fit. */
function ofSmallFolders(byFolder: readonly (readonly string[])[], room: number): readonly string[] {
  const small = byFolder.filter(({ length }) => length > 0 && length <= FEW_ENTRIES);
  const chosen = new Set<readonly string[]>();
  let left = room;
  for (const folder of small.toSorted((a, b) => a.length - b.length)) {
    left -= folder.length;
    if (left < 0) break;
    chosen.add(folder);
  }
  return small.flatMap((folder) => (chosen.has(folder) ? folder : []));
}

function entriesOf(folder: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => name !== ".git")
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
