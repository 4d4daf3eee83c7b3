import { lossIn } from "../../services/worktree/worktrees.ts";
import type { WorktreePlace } from "./open-worktrees.ts";
import { openWorktrees } from "./open-worktrees.ts";
import { keptLine } from "./worktree-lines.ts";

/** The worktrees of this project whose session was killed, one line each, and each only once. */
export async function abandonedLines(place: WorktreePlace, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const found = await openWorktrees(place).worktrees.abandoned(signal);
    return found.map(({ record, left }) =>
      keptLine(record, `its session was killed; ${lossIn(left) ?? "nothing in it would be lost"}`, place.own.home),
    );
  } catch {
    // A start must not fail because of an old worktree; `quoll worktree list` shows what is wrong.
    return [];
  }
}
