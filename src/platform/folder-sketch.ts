import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders of installed or built files: only their names are listed. */
const OPAQUE: ReadonlySet<string> = new Set([
  ".hg",
  ".svn",
  ".venv",
  "__pycache__",
  "build",
  "dist",
  "node_modules",
  "target",
  "vendor",
  "venv",
]);
/** Limits of one sketch, since it is made before the first request while a person waits. */
const MAX_NAMES = 60;
const MAX_FOLDERS_READ = 20;
/** Folders with at most this many entries are listed in full even on a level that does not fit. */
const FEW_ENTRIES = 8;

/**
 * Lists the names in a folder, level by level: small projects in full; of large ones the upper levels and, one level
 * deeper, the content of folders with few entries.
 * @returns paths relative to the folder, folders with a `/` at their end, sorted within each folder; `isWhole` is false
 * when the list is incomplete. An unreadable folder is listed without its content.
 * @param isHidden True for an absolute path to leave out with everything below it.
 */
export function folderSketch(
  root: string,
  isHidden: (path: string) => boolean,
): { readonly names: readonly string[]; readonly isWhole: boolean } {
  const names: string[] = [];
  let level = [""];
  let foldersRead = 0;
  let isWhole = true;
  while (level.length > 0) {
    const found: string[] = [];
    const below: string[] = [];
    const byFolder: string[][] = [];
    for (const folder of level) {
      foldersRead += 1;
      const own: string[] = [];
      byFolder.push(own);
      for (const entry of entriesOf(join(root, folder))) {
        const path = folder + entry.name + (entry.isFolder ? "/" : "");
        if (isHidden(join(root, folder, entry.name))) continue;
        found.push(path);
        own.push(path);
        if (entry.isFolder && !OPAQUE.has(entry.name)) below.push(path);
        else if (entry.isFolder) isWhole = false;
      }
    }
    // A folder is listed in full or not at all, since a partial list would look complete.
    if (names.length > 0 && names.length + found.length > MAX_NAMES)
      return { names: [...names, ...ofSmallFolders(byFolder, MAX_NAMES - names.length)], isWhole: false };
    names.push(...found.slice(0, MAX_NAMES));
    if (found.length > MAX_NAMES || foldersRead + below.length > MAX_FOLDERS_READ) return { names, isWhole: false };
    level = below;
  }
  return { names, isWhole };
}

/** The names in the smallest folders, as far as they fit. */
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
