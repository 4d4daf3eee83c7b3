import type { Agent } from "../agent/open-agent.ts";

/** `followWorktree`, whose code is loaded at the first use. */
export function lazyFollowing(main: Pick<Agent, "engine" | "workspace" | "worktree">) {
  return async (signal: AbortSignal) => {
    if (main.worktree) await (await import("./follow-worktree.ts")).followWorktree(main, signal);
  };
}
