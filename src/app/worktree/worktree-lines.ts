import { shortPath } from "../../platform/directories.ts";
import type { WorktreeRecord } from "../../services/worktree/io/worktree-records.ts";

/** The line about a worktree that stays: where it is, why, and how to remove it. */
export function keptLine({ name, path, branch }: WorktreeRecord, why: string, home: string): string {
  const on = branch === undefined ? "" : `, branch ${branch}`;
  return `The worktree ${name} stays (${why}): ${shortPath(path, home)}${on}. To remove it: quoll worktree remove ${name}`;
}
