import { dirname } from "node:path";
import { removeTree } from "../../../platform/files/remove-tree.ts";
import type { Repository } from "../../../platform/git/repository.ts";
import { entryExists } from "../../../platform/paths.ts";
import { makePrivateFolder } from "../../../platform/private-file.ts";
import { copyIncluded } from "./copy-included.ts";
import { linkedGitFolder } from "./linked-tree.ts";
import type { WorktreeGit } from "./worktree-git.ts";
import type { WorktreeRecord } from "./worktree-records.ts";

export type Making = {
  /** Git on the repository. */
  readonly git: WorktreeGit;
  readonly repository: Repository;
  readonly sparse: readonly string[] | undefined;
  readonly setUp: ((path: string, signal: AbortSignal) => Promise<void>) | undefined;
  /** True if the folder lies where Quoll makes worktrees. */
  readonly isOurs: boolean;
};

/**
 * Makes the branch and the worktree of a record, copies the files that it needs, and sets it up.
 * @throws {UserFacingError} a step failed; `undoWorktree` removes what is there.
 */
export async function makeWorktree(record: WorktreeRecord, making: Making, signal: AbortSignal): Promise<void> {
  const { path, branch = "", base = "" } = record;
  const { git, repository, sparse, setUp } = making;
  makePrivateFolder(dirname(path));
  const isSparse = sparse !== undefined && sparse.length > 0;
  const how = ["--quiet", ...(isSparse ? ["--no-checkout"] : []), "--no-track", "-b", branch];
  await git.run(["worktree", "add", ...how, path, base], signal);
  if (isSparse) {
    const gitFolder = linkedGitFolder(path, repository.commonFolder);
    if (gitFolder === undefined) throw new Error(`git made no worktree at ${path}.`);
    const inside = git.at(path, gitFolder);
    await inside.run(["sparse-checkout", "set", "--cone", "--", ...sparse], signal);
    await inside.run(["reset", "--quiet", "--hard"], signal);
  }
  await copyIncluded({ top: repository.top, git }, path, signal);
  await setUp?.(path, signal);
}

/** Removes a worktree in which nobody has worked yet, and its branch. */
export async function undoWorktree(
  record: WorktreeRecord,
  { git, isOurs }: Making,
  signal: AbortSignal,
): Promise<void> {
  const { path, branch, base } = record;
  await git.ask(["worktree", "remove", "--force", "--force", path], signal);
  if (isOurs && entryExists(path)) {
    await removeTree(path);
    await git.ask(["worktree", "remove", "--force", "--force", path], signal);
  }
  // A branch that points elsewhere by now stays.
  if (base !== undefined) await git.ask(["update-ref", "-d", `refs/heads/${branch}`, base], signal);
}
