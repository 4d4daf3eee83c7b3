import { entryExists } from "../../../platform/paths.ts";
import { commitOf, type WorkLeft } from "./work-left.ts";
import type { WorktreeGit } from "./worktree-git.ts";
import type { WorktreeRecord } from "./worktree-records.ts";

type Removing = {
  /** Git on the repository. */
  readonly git: WorktreeGit;
  readonly left: WorkLeft;
  /** True to lose the work in it. */
  readonly discards: boolean;
};

/**
 * Removes a worktree that Quoll made, with its branch. Without `discards`, git checks once more that nothing is changed,
 * and the branch goes only if it still points to the commit that was counted.
 * @throws {UserFacingError} git refused.
 */
export async function removeRecorded(
  { path, branch, state }: WorktreeRecord,
  { git, left, discards }: Removing,
  signal: AbortSignal,
): Promise<void> {
  // An interrupted removal has deleted files, so git would refuse.
  const force = discards || state === "removing" ? ["--force", "--force"] : [];
  if (entryExists(path)) await git.run(["worktree", "remove", ...force, path], signal);
  else await git.ask(["worktree", "remove", "--force", "--force", path], signal);
  if (branch === undefined) return;
  const tip = left.tip ?? (discards ? await commitOf(git, `refs/heads/${branch}`, signal) : undefined);
  if (tip !== undefined) await git.ask(["update-ref", "-d", `refs/heads/${branch}`, tip], signal);
}
