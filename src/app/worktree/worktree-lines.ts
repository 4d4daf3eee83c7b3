import { shortPath } from "../../platform/directories.ts";
import type { WorktreeRecord } from "../../services/worktree/io/worktree-records.ts";

/** Words for the model about the checkout that a worktree replaces. Only edits and confined commands are kept from it. */
export function untouched(replaces: string): string {
  return `Leave ${replaces} itself as it is: edits there are refused, but a command outside the sandbox is not stopped.`;
}

/** The line about a worktree that stays: where it is, why, and how to remove it. */
export function keptLine({ name, path, branch }: WorktreeRecord, why: string, home: string): string {
  const on = branch === undefined ? "" : `, branch ${branch}`;
  return `The worktree ${name} stays (${why}): ${shortPath(path, home)}${on}. To remove it: quoll worktree remove ${name}`;
}
