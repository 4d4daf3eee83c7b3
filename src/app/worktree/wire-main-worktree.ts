import { basename } from "node:path";
import { lazy } from "@quoll/async/lazy";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Entry, RestoredSession } from "../../contracts/session.ts";
import { hookFields } from "../../engine/ask-hooks.ts";
import type { WorktreeControl } from "../../services/tools/enter-worktree/worktree-control.ts";
import type { AgentParts } from "../agent/agent-parts.ts";
import { hookFirer } from "../hooks/fire-hook.ts";
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
  const { hooks, conversation, source, state, workspace, warn } = parts;
  const { permissions, folders } = ofMain;
  const { log, transcriptPath } = conversation;
  const about = { log, transcriptPath, agent: source, state, cwd: () => workspace.cwd };
  const fire = hookFirer({ hooks, common: () => hookFields({ ...about, permissions }), tell: warn });
  let release: (() => void) | undefined;
  const opened = lazy(async () => {
    const { ConversationWorktree } = await import("./conversation-worktree.ts");
    const { questions } = parts;
    const tasks = parts.tasks.seenBy(source);
    return new ConversationWorktree({ ...ofMain, conversation, questions, state, warn, tasks, fire });
  });
  const { root, trustRoot } = folders.start.place.project;
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
      const held = await holdWorktree(folders.start.place);
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
