import type { AgentSource } from "./agent.ts";
import type { Display } from "./display.ts";
import type { Usage } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";

/** The scope of a child agent. Missing parts come from its parent; no part is wider than the parent's. */
export type AgentScope = {
  /** The id of the call that the agent works for. An agent that a tool opens gets the id of that tool's call. */
  readonly parentToolUseId?: string;
  /** The agent's name for the person, in one printable line. */
  readonly label?: string;
  /** The name of the agent's definition, for hooks. */
  readonly type?: string;
  /** The absolute folder in which the agent starts, inside one of its parent's folders. */
  readonly cwd?: string;
  /** The checkout of its own in which the agent works; `cwd` has no effect then. */
  readonly checkout?: AgentCheckout;
  /** The log entry up to which the agent takes over its parent's conversation, with the system prompt and all tools. */
  readonly forkAt?: string;
  /** The folder of the agent's own notes, which it reaches without a question: absolute, symlinks resolved. */
  readonly notesFolder?: string;
  /** An agent that is over and goes on: its id, and the last entry of its conversation. */
  readonly earlier?: { readonly agentId: string; readonly lastId: string };
  /** Replaces the system prompt of the agent's parent. */
  readonly systemPrompt?: string;
  /** The only tools of the parent that the agent gets. */
  readonly tools?: readonly string[];
  /** Narrows the parent's mode; a wider mode is ignored. Where neither contains the other, a call needs the consent of both. */
  readonly permissionMode?: PermissionMode;
  /** Deny and ask rules in addition to all rules of the parent. */
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  /** The name or alias of a model. */
  readonly model?: string;
  readonly effort?: "low" | "medium" | "high" | "max";
  /** The maximum number of model requests in one turn. */
  readonly maxSteps?: number;
  /** The budget of the agent and its child agents; its parent's budgets also hold. */
  readonly budget?: { readonly usd?: number; readonly tokens?: number };
};

/** A worktree that an agent has for itself. All paths are absolute, with links resolved. */
export type AgentCheckout = {
  /** The top folder of the worktree. */
  readonly top: string;
  /** The agent's working folder in it. */
  readonly cwd: string;
  /** The top folder of the checkout that the agent would have worked in, which it can read but not change. */
  readonly replaces: string;
};

/** How a turn of a child agent ended. */
export type AgentReport = {
  readonly reason: string;
  /** The reason why the turn stopped early, in one line; absent after a complete turn. */
  readonly message?: string;
  /** The text of the agent's last answer. */
  readonly text: string;
  readonly steps: number;
  readonly usage: Usage;
  /** US dollars; undefined when a model's price is unknown. */
  readonly costUsd: number | undefined;
};

/**
 * A sign of life of an agent: it asks its model, says something, makes a call, waits for the person, its context has
 * grown, or anything else happens.
 */
export type AgentSign =
  | { readonly kind: "request" }
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "question" }
  | { readonly kind: "other" }
  | { readonly kind: "call"; readonly toolName: string; readonly title: string }
  /** A call changed a file: numbers of lines. */
  | { readonly kind: "change"; readonly added: number; readonly removed: number }
  | { readonly kind: "context"; readonly tokens: number };

/** A call that was allowed and has not run yet. */
export interface AuthorizedCall {
  /** Runs the call once, and returns its result. */
  run(): Promise<{ readonly text: string; readonly isError: boolean; readonly display?: Display | undefined }>;
  /** Gives the call up; does nothing after `run`. */
  drop(): Promise<void>;
}

/** An open child agent. */
export interface SpawnedAgent {
  readonly source: AgentSource;
  /** The id of its model. */
  readonly model: string;
  /** Its folders; paths are absolute, with links resolved. */
  readonly workspace: { readonly cwd: string; contains(path: string): boolean };
  /**
   * Prepares and judges a call of one of the agent's tools, which runs later and is not part of the conversation.
   * @throws {ToolFailedError} the agent does not have the tool, its input is wrong, or the call was refused.
   */
  authorizeCall(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<AuthorizedCall>;
  /**
   * Runs one turn to its end.
   * @param signal The signal of the call that waits: when it aborts, the turn is interrupted.
   */
  run(prompt: string, signal?: AbortSignal): Promise<AgentReport>;
  /**
   * The text of a skill for the agent's next prompt; its rules count in the turn of that prompt.
   * @throws {ToolFailedError} there is no such skill, or it can't be started.
   */
  loadSkill(name: string, signal: AbortSignal): Promise<string>;
  /** Reports signs of life. @returns the function that ends it. */
  follow(reader: (sign: AgentSign) => void): () => void;
  /**
   * Gives the agent a message, which it reads after its current call.
   * @returns false if no turn runs: the message was not taken.
   */
  tell(message: string): boolean;
  /** The last entry of its conversation; null before the first. */
  readonly lastId: string | null;
  interrupt(): void;
  /** Ends the agent's turn, its background work and the agents below it. */
  close(): Promise<unknown>;
}

/**
 * Opens a child of the agent that makes the call.
 * @param signal The signal of that call: when it aborts, no agent stays open.
 * @throws {UserFacingError} the agent's folder, tools, rules or model can't be used.
 */
export type SpawnAgent = (scope: AgentScope, signal?: AbortSignal) => Promise<SpawnedAgent>;
