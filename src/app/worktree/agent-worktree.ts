import { join, relative } from "node:path";
import { once } from "@quoll/async/once";
import type { AgentCheckout } from "../../contracts/agent-scope.ts";
import { errorMessage, ToolFailedError, UserFacingError } from "../../contracts/errors.ts";
import type { FireHook } from "../../contracts/hook.ts";
import { isInside } from "../../platform/paths.ts";
import type { KeptWorktree } from "../../services/agents/agent-result.ts";
import type { HeldWorktree } from "../../services/worktree/held-worktree.ts";
import { type OpenedWorktrees, openWorktrees, type WorktreeEnvironment } from "./open-worktrees.ts";
import { keptLine, untouched } from "./worktree-lines.ts";

export type AgentWorktreeParts = {
  readonly environment: WorktreeEnvironment;
  readonly fire: FireHook;
  /** Tells the person one line. */
  notify(line: string): void;
};

/** The worktree in which one agent works. */
export type AgentWorktree = {
  readonly checkout: AgentCheckout;
  readonly name: string;
  /** A text that tells the agent where it works. */
  readonly note: string;
  /** Maps a path in the replaced checkout to the worktree; any other path is unchanged. */
  pathIn(path: string): string;
  /**
   * Removes the worktree unless work would be lost; a line tells the person about a worktree that stays. Call this when
   * the agent is closed.
   * @returns one phrase for the parent's model, and the worktree if it stays.
   */
  leave(): Promise<{ readonly said: string; readonly kept?: KeptWorktree }>;
};

/**
 * Makes a worktree for an agent, or opens the existing worktree of this name.
 * @throws {ToolFailedError} if there is no repository, or the worktree can't be made.
 */
export async function openAgentWorktree(
  { environment, fire, notify }: AgentWorktreeParts,
  name: string | undefined,
  signal: AbortSignal,
): Promise<AgentWorktree> {
  try {
    const opened = openWorktrees(environment, fire);
    const held = await opened.worktrees.open(name === undefined ? {} : { name }, signal);
    return await agentWorktree(opened, held, { environment, notify });
  } catch (error) {
    throw error instanceof UserFacingError ? new ToolFailedError(error.message, { cause: error }) : error;
  }
}

async function agentWorktree(
  { repository, folderIn }: OpenedWorktrees,
  held: HeldWorktree,
  { environment, notify }: Pick<AgentWorktreeParts, "environment" | "notify">,
): Promise<AgentWorktree> {
  const { path: top, branch, name } = held.record;
  const replaces = repository.top;
  // The person must be told about the work of a stopped agent.
  const { signal } = new AbortController();
  if (isInside(replaces, top) || isInside(top, replaces)) {
    await held.leave(signal);
    throw new ToolFailedError(`A hook made the worktree ${top}, but an agent needs one outside ${replaces}.`);
  }
  const on = branch === undefined ? "" : `, on the branch ${branch}`;
  return {
    checkout: { top, cwd: folderIn(top), replaces },
    name,
    note: `You work in ${top}${on}: a copy of ${replaces} as it was last committed. A path in ${replaces} means the same path below ${top}. ${untouched(replaces)} Commit your work there when it is done.`,
    pathIn: (path) => (isInside(replaces, path) ? join(top, relative(replaces, path)) : path),
    leave: once(async () => {
      const why = await held.leave(signal).then(
        (removal) => (removal.isRemoved ? undefined : removal.why),
        (error: unknown) => errorMessage(error),
      );
      if (why === undefined) return { said: "its worktree had no changes and was removed" };
      notify(keptLine(held.record, why, environment.own.home));
      const said = `its work (${why}) stays in the worktree ${name}: ${top}${on}`;
      return { said, kept: { path: top, ...(branch !== undefined && { branch }), work: why } };
    }),
  };
}
