import { basename } from "node:path";
import { lossIn } from "../../services/worktree/worktrees.ts";
import type { WorktreePlace } from "./open-worktrees.ts";
import { openWorktrees } from "./open-worktrees.ts";
import { keptLine } from "./worktree-lines.ts";

/**
 * The worktrees of this project whose session was killed, one line each, and each only once.
 * @param resumed The name of the worktree in which the opened conversation goes on.
 */
export async function abandonedLines(
  place: WorktreePlace,
  resumed: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // The session may begin in a worktree: its folder must not vanish.
  const spared = [basename(place.project.root), ...(resumed === undefined ? [] : [resumed])];
  try {
    const found = await openWorktrees(place).worktrees.abandoned(spared, signal);
    return found.map(({ record, left }) =>
      keptLine(record, `its session was killed; ${lossIn(left) ?? "nothing in it would be lost"}`, place.own.home),
    );
  } catch {
    // A start must not fail because of an old worktree; `quoll worktree list` shows what is wrong.
    return [];
  }
}
