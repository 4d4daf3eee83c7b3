import { basename } from "node:path";
import { lossIn } from "../../services/worktree/io/work-left.ts";
import type { WorktreeEnvironment } from "./open-worktrees.ts";
import { openWorktrees } from "./open-worktrees.ts";
import { keptLine } from "./worktree-lines.ts";

/**
 * The worktrees of this project whose session was killed, one line each; each is reported only once.
 * @param resumed The name of the worktree in which the opened conversation continues.
 */
export async function abandonedLines(
  environment: WorktreeEnvironment,
  resumed: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // The session may begin in a worktree, whose folder must not disappear.
  const spared = [basename(environment.project.root), ...(resumed === undefined ? [] : [resumed])];
  try {
    const found = await openWorktrees(environment).worktrees.abandoned(spared, signal);
    return found.map(({ record, left }) =>
      keptLine(
        record,
        `its session was killed; ${lossIn(left) ?? "nothing in it would be lost"}`,
        environment.own.home,
      ),
    );
  } catch {
    // An old worktree must not make a start fail; `quoll worktree list` shows the problem.
    return [];
  }
}
