import { basename } from "node:path";
import { lazy } from "@quoll/async/lazy";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Entry, RestoredSession } from "../../contracts/session.ts";
import type { WorktreeControl } from "../../services/tools/enter-worktree/worktree-control.ts";
import type { AgentParts } from "../agent/agent-parts.ts";
import { agentFirer } from "../hooks/agent-fields.ts";
import type { ConversationWorktreeParts } from "./conversation-worktree.ts";

type OfMain = Pick<ConversationWorktreeParts, "folders" | "permissions" | "notes" | "record">;

/** The moves of the main conversation into worktrees and back. */
export type MainWorktree = {
  readonly control: WorktreeControl;
  /** The worktree that the conversation has entered. */
  name(): string | undefined;
  /**
   * Holds the worktree in which the session was started, until `close`.
   * @returns a line about another process that works in it.
   */
  hold(): Promise<string | undefined>;
  /**
   * Brings a resumed conversation back into its worktree.
   * @returns the reason why that is impossible; undefined if it is there.
   */
  resume(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** Call this when the agent is closed. @returns the line about a worktree that stays. */
  close(): Promise<string | undefined>;
};

/** The code that moves the conversation is loaded at the first move. */
export function wireMainWorktree(parts: AgentParts, ofMain: OfMain): MainWorktree {
  const { session, source, state } = parts;
  const { permissions, folders } = ofMain;
  const fire = agentFirer(parts, permissions);
  let release: (() => void) | undefined;
  const opened = lazy(async () => {
    const { ConversationWorktree } = await import("./conversation-worktree.ts");
    return new ConversationWorktree({ ...ofMain, session, state, tasks: session.work.tasks.seenBy(source), fire });
  });
  const { root, trustRoot } = folders.start.environment.project;
  const isInWorktree = root !== trustRoot;
  return {
    name: () => folders.entered?.name,
    control: {
      enter: async (request, signal) => (await opened()).enter(request, signal),
      exit: async (request, signal) => (await opened()).exit(request, signal),
    },
    hold: async () => {
      if (!isInWorktree) return undefined;
      const { holdWorktree } = await import("./hold-worktree.ts");
      const held = await holdWorktree(folders.start.environment);
      release = held.release;
      return held.warning;
    },
    resume: async (name, signal) => {
      // The session was started in the worktree itself.
      if (isInWorktree && basename(root) === name) return undefined;
      try {
        await (await opened()).enter({ name, mustExist: true }, signal);
        return undefined;
      } catch (error) {
        if (error instanceof ToolFailedError) return error.message;
        throw error;
      }
    },
    close: async () => {
      try {
        return await (await opened.begun)?.close();
      } finally {
        release?.();
      }
    },
  };
}

/** The name of the worktree in which a conversation worked last. */
export function lastWorktree(restored: Pick<RestoredSession, "entries"> | undefined): string | undefined {
  const last = restored?.entries.findLast(
    (entry): entry is Extract<Entry, { kind: "setup" | "worktree" }> =>
      entry.kind === "worktree" || entry.kind === "setup",
  );
  return last?.kind === "setup" ? last.worktree : last?.name;
}
