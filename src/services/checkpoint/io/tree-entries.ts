import type { ObjectStore, TreeEntry } from "./object-store.ts";

export const FOLDER_MODE = "040000";
export const LINK_MODE = "120000";
export const EXECUTABLE_MODE = "100755";
export const FILE_MODE = "100644";

/** A file or link in a git tree. `oid`: the name of its content, 40 hexadecimal digits. */
export type FileEntry = { readonly mode: string; readonly oid: string };

/** The files and links of a tree by path. */
export type TreeEntries = ReadonlyMap<string, FileEntry>;

/** One path on one side of a comparison; undefined: not in the tree. Of a folder, `oid` is empty or its tree. */
export type Side = FileEntry | undefined;
export type Pair = { before: Side; after: Side };

type WrittenTree = { readonly key: string; readonly oid: string };

/** Writes the tree objects of these entries. Folders that are the same as at the last call are not written again. */
export class TreeWriter {
  readonly #objects: ObjectStore;
  #written: ReadonlyMap<string, WrittenTree> = new Map();

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** @returns the name of the top's tree. @throws {Error} a system error. */
  write(entries: TreeEntries): string {
    const written = new Map<string, WrittenTree>();
    const write = (folder: string, inside: FolderNode): string => {
      const lines = [...inside.files];
      for (const [name, child] of inside.folders)
        lines.push({ name, mode: "40000", oid: write(`${folder}${name}/`, child) });
      const key = lines.map(({ name, mode, oid }) => `${mode} ${oid} ${name}`).join("\0");
      const known = this.#written.get(folder);
      const oid = known?.key === key ? known.oid : this.#objects.writeTree(lines);
      written.set(folder, { key, oid });
      return oid;
    };
    const oid = write("", nested(entries));
    this.#written = written;
    return oid;
  }
}

type FolderNode = { readonly files: TreeEntry[]; readonly folders: Map<string, FolderNode> };

function nested(entries: TreeEntries): FolderNode {
  const top: FolderNode = { files: [], folders: new Map() };
  for (const [path, { mode, oid }] of entries) {
    let at = top;
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    for (const part of parts) {
      const next = at.folders.get(part) ?? { files: [], folders: new Map() };
      at.folders.set(part, next);
      at = next;
    }
    at.files.push({ name, mode, oid });
  }
  return top;
}

/** The paths that differ between two trees, and the folders above them. */
export function differences(before: TreeEntries, after: TreeEntries): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const [path, entry] of after) if (!isSame(before.get(path), entry)) pairs.set(path, pairAt(path));
  for (const path of before.keys()) if (!after.has(path)) pairs.set(path, pairAt(path));
  if (pairs.size === 0) return pairs;
  const [old, now] = [foldersOf(before), foldersOf(after)];
  const side = (folders: ReadonlySet<string>, folder: string) =>
    folders.has(folder) ? { mode: FOLDER_MODE, oid: "" } : undefined;
  for (const path of [...pairs.keys()])
    for (const folder of foldersAbove(path)) {
      const pair = pairs.get(folder);
      // A file that became a folder has both.
      pairs.set(folder, {
        before: pair?.before ?? side(old, folder),
        after: pair?.after ?? side(now, folder),
      });
    }
  return pairs;

  function pairAt(path: string): Pair {
    return { before: before.get(path), after: after.get(path) };
  }
}

function isSame(a: Side, b: FileEntry): boolean {
  return a?.oid === b.oid && a.mode === b.mode;
}

function foldersOf(entries: TreeEntries): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of entries.keys())
    for (const folder of foldersAbove(path)) {
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

/** The folders above a relative path, the deepest first, without the top. */
export function foldersAbove(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) found.push(path.slice(0, at));
  return found;
}
