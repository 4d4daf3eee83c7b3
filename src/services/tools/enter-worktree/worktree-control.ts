import { ToolFailedError } from "../../../contracts/errors.ts";

export type EnterRequest = {
  /** Without one, Quoll makes up a name. */
  readonly name?: string;
  /** A branch or commit, for a new worktree only. */
  readonly base?: string;
};

export type ExitRequest = {
  readonly action: "keep" | "remove";
  /** True to lose the work in a removed worktree. */
  readonly discards: boolean;
};

export type MovedConversation = {
  /** For the model. */
  readonly text: string;
  /** For the person: one phrase. */
  readonly summary: string;
};

/** Moves the main conversation into a worktree and back. */
export type WorktreeControl = {
  /** @throws {ToolFailedError} the worktree can't be made or taken. */
  enter(request: EnterRequest, signal: AbortSignal): Promise<MovedConversation>;
  /** @throws {ToolFailedError} the conversation is in no worktree, or a removal would lose work. */
  exit(request: ExitRequest, signal: AbortSignal): Promise<MovedConversation>;
};

/** @throws {ToolFailedError} the caller is an agent. */
export function controlOf(control: WorktreeControl | undefined): WorktreeControl {
  if (control) return control;
  throw new ToolFailedError("Only the main conversation can move into a worktree or out of it.");
}
