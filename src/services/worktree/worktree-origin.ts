import { realPathOrSelf } from "../../platform/paths.ts";
import { linkedGitFolder } from "./io/linked-tree.ts";
import { type WorktreeRecord, WorktreeRecords } from "./io/worktree-records.ts";

/**
 * The record of a worktree that Quoll made; undefined for any other folder. Only Quoll's own records count, and only while the repository knows
 * the worktree: files of a project can't claim another project's trust.
 * @param path The top of the worktree; absolute, links resolved.
 */
export async function worktreeRecord(
  path: string,
  { records, commonFolder }: { readonly records: string; readonly commonFolder: string },
): Promise<WorktreeRecord | undefined> {
  if (linkedGitFolder(path, commonFolder) === undefined) return undefined;
  const all = new WorktreeRecords(records);
  for (const name of all.names()) {
    const record = await all.read(name).catch(() => undefined);
    if (record && realPathOrSelf(record.path) === path) return record;
  }
  return undefined;
}

/** The work tree from which Quoll made a worktree. @param path As for `worktreeRecord`. */
export async function worktreeOrigin(
  path: string,
  places: { readonly records: string; readonly commonFolder: string },
): Promise<string | undefined> {
  const record = await worktreeRecord(path, places);
  return record && realPathOrSelf(record.origin);
}
