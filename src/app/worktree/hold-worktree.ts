import { isOwnProcess } from "../../platform/process-identity.ts";
import { WorktreeRecords } from "../../services/worktree/io/worktree-records.ts";
import { worktreeRecord } from "../../services/worktree/worktree-origin.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { worktreeFolders } from "./worktree-folders.ts";

export type WorktreeHold = {
  /** Lets other processes use and remove the worktree. */
  release(): void;
  /** A warning for the person that another process works in the worktree too. */
  readonly warning?: string;
};

/**
 * Keeps other processes from using and removing the worktree of Quoll in which a session was started. A session of
 * `quoll -w` already holds its worktree.
 */
export async function holdWorktree({
  own,
  project,
}: Pick<ProjectEnvironment, "own" | "project">): Promise<WorktreeHold> {
  const [, commonFolder] = project.gitFolders;
  const none = { release: () => undefined };
  if (commonFolder === undefined) return none;
  const { records } = worktreeFolders(own, commonFolder);
  const record = await worktreeRecord(project.root, { records, commonFolder });
  if (!record) return none;
  const attempt = await new WorktreeRecords(records).lock(record.name);
  if ("lock" in attempt) return { release: () => attempt.lock.release() };
  const { holder } = attempt;
  if (holder && isOwnProcess(holder)) return none;
  const who = holder ? `Process ${holder.pid}` : "Another process";
  return {
    ...none,
    warning: `${who} works in the worktree ${record.name} too, and may remove it at its end. \`quoll -w\` makes another one.`,
  };
}
