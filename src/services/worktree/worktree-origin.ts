import { realPathOrSelf } from "../../platform/paths.ts";
import { linkedGitFolder } from "./io/linked-tree.ts";
import { WorktreeRecords } from "./io/worktree-records.ts";

/**
 * The work tree from which Quoll made a worktree. Only Quoll's own records count, and only while the repository knows
 * the worktree: files of a project can't claim another project's trust.
 * @param path The top of the worktree; absolute, links resolved.
 */
export async function worktreeOrigin(
  path: string,
  { records, commonFolder }: { readonly records: string; readonly commonFolder: string },
): Promise<string | undefined> {
  if (linkedGitFolder(path, commonFolder) === undefined) return undefined;
  const all = new WorktreeRecords(records);
  for (const name of all.names()) {
    const record = await all.read(name).catch(() => undefined);
    if (record && realPathOrSelf(record.path) === path) return realPathOrSelf(record.origin);
  }
  return undefined;
}
