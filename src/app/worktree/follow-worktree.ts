import type { Agent } from "../agent/open-agent.ts";
import { lastWorktree } from "./wire-main-worktree.ts";

/**
 * Takes the session to the folder in which the conversation works at its present entry, after the conversation has moved
 * to another one. A worktree that it leaves stays.
 */
export async function followWorktree(
  { engine, workspace, worktree }: Pick<Agent, "engine" | "workspace" | "worktree">,
  signal: AbortSignal,
): Promise<void> {
  if (!worktree) return;
  const wanted = lastWorktree({ entries: engine.conversation.history(["setup", "worktree"]) });
  if (wanted === worktree.name()) return;
  if (worktree.name() !== undefined) await worktree.control.exit({ action: "keep", discards: false }, signal);
  const why = wanted === undefined ? undefined : await worktree.resume(wanted, signal);
  if (why === undefined) return;
  engine.conversation.append({ kind: "worktree", optional: true });
  engine.taskNews.addModelNote("worktree", `${why} The working folder is ${workspace.cwd} now.`);
}
