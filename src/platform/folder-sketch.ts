import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders that hold what was installed or built: their names say enough. */
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
/** Bounds of one sketch: it is made before the first request, while a person waits. */
const MAX_NAMES = 60;
const MAX_FOLDERS_READ = 20;
/** Of a level that does not fit, folders with so few entries are still named whole. */
const FEW_ENTRIES = 8;

/**
 * The names in a folder, level by level: small projects whole, of large ones the upper levels and, one level deeper, what
 * stands in folders with few entries.
 * @returns paths relative to the folder, folders with a `/` at their end, sorted within each folder; `isWhole` is false
 * when not everything is named. An unreadable folder is named and not entered.
 * @param isHidden True for an absolute path that is left out, with all below it.
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
    // A folder is named whole or not at all: half of one would pass for all there is.
    if (names.length > 0 && names.length + found.length > MAX_NAMES)
      return { names: [...names, ...ofSmallFolders(byFolder, MAX_NAMES - names.length)], isWhole: false };
    names.push(...found.slice(0, MAX_NAMES));
    if (found.length > MAX_NAMES || foldersRead + below.length > MAX_FOLDERS_READ) return { names, isWhole: false };
    level = below;
  }
  return { names, isWhole };
}

/** The names in the smallest folders, as far as there is room for them. */
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
