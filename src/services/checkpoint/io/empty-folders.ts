import { dirname } from "node:path";
import type { FolderChanges, StoredChange } from "../../../contracts/checkpoint.ts";
import { byPath } from "../record-view.ts";
import { isFolderChange } from "./apply-files.ts";

/**
 * The folders among changes that come or go by themselves: nothing else below them changes, so no file speaks for them.
 * @returns undefined if there are none.
 */
export function emptyFolders(changes: readonly StoredChange[]): FolderChanges | undefined {
  const holders = new Set<string>();
  for (const { path } of changes) for (let at = dirname(path); !holders.has(at); at = dirname(at)) holders.add(at);
  const comesOrGoes = ({ before, after }: StoredChange) =>
    isFolderChange(before, after) && (before === null) !== (after === null);
  const empty = changes.filter((change) => comesOrGoes(change) && !holders.has(change.path)).toSorted(byPath);
  if (empty.length === 0) return undefined;
  return {
    restored: empty.flatMap(({ path, after }) => (after === null ? [] : [path])),
    deleted: empty.flatMap(({ path, after }) => (after === null ? [path] : [])),
  };
}
