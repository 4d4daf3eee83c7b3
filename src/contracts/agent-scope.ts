import type { AgentSource } from "./agent.ts";
import type { Display } from "./display.ts";
import type { Usage } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";

/**
 * The scope of a child agent. Parts that are missing in the scope come from the agent's parent; no part is wider than
 * the parent's.
 */
export type AgentScope = {
  /** The id of the call that the agent works for. An agent that a tool opens gets the id of the tool's call. */
  readonly parentToolUseId?: string;
  /** The agent's name for the person, in one printable line. */
  readonly label?: string;
  /** The name of the agent's definition, for hooks. */
  readonly type?: string;
  /** The absolute folder in which the agent starts, inside one of its parent's folders. */
  readonly cwd?: string;
  /** The separate checkout in which the agent works; if it is set, `cwd` has no effect. */
  readonly checkout?: AgentCheckout;
  /**
   * The last log entry of the parent's conversation that the agent inherits, together with the system prompt and all
   * tools.
   */
  readonly forkAt?: string;
  /** The folder of the agent's own notes, which the agent accesses without a question: absolute, symlinks resolved. */
  readonly notesFolder?: string;
  /** Set if the agent continues an ended agent: that agent's id, and the last entry of its conversation. */
  readonly earlier?: { readonly agentId: string; readonly lastId: string };
  /** Replaces the system prompt of the agent's parent. */
  readonly systemPrompt?: string;
  /** The only tools of the parent that the agent gets. */
  readonly tools?: readonly string[];
  /**
   * The agent's permission mode; a mode wider than the parent's is ignored. Where neither mode contains the other, a
   * call needs the consent of both.
   */
  readonly permissionMode?: PermissionMode;
  /** Deny and ask rules in addition to all rules of the parent. */
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  /** The name or alias of a model. */
  readonly model?: string;
  readonly effort?: "low" | "medium" | "high" | "xhigh" | "max";
  /** The maximum number of model requests in one turn. */
  readonly maxSteps?: number;
  /** The budget of the agent and its child agents; its parent's budgets also hold. */
  readonly budget?: { readonly usd?: number; readonly tokens?: number };
};

/** A worktree that only one agent uses. All paths of the checkout are absolute, with links resolved. */
export type AgentCheckout = {
  /** The top folder of the worktree. */
  readonly top: string;
  /** The agent's working folder inside the worktree. */
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
 * An activity of an agent: it asks its model, gets a part of the answer, writes text, makes a call, waits for the person, or any other event.
 */
export type AgentSign =
  | { readonly kind: "request" }
  /** A whole answer: its text, and the tokens that the request took, in and out. */
  | { readonly kind: "words"; readonly text: string; readonly tokens: number }
  /** A part of an answer: `doing` says what the model writes. */
  | { readonly kind: "stream"; readonly doing: string; readonly chars: number }
  /** The agent asks the person. `text` names the question. */
  | { readonly kind: "question"; readonly id: string; readonly text: string }
  | { readonly kind: "settled"; readonly id: string }
  | { readonly kind: "other" }
  | { readonly kind: "call"; readonly toolName: string; readonly title: string }
  /** A call changed a file: numbers of lines. */
  | { readonly kind: "change"; readonly added: number; readonly removed: number };

/** A call that was allowed and has not run yet. */
export interface AuthorizedCall {
  /** Runs the call once, and returns its result. */
  run(): Promise<{ readonly text: string; readonly isError: boolean; readonly display?: Display | undefined }>;
  /** Discards the call; does nothing after `run`. */
  drop(): Promise<void>;
}

/** An open child agent. */
export interface SpawnedAgent {
  readonly source: AgentSource;
  /** The id of its model. */
  readonly model: string;
  /** The agent's folders; paths are absolute, with links resolved. */
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
   * Loads the text of a skill for the agent's next prompt; the skill's rules apply to the turn of that prompt.
   * @throws {ToolFailedError} if there is no such skill, or it can't be started.
   */
  loadSkill(name: string, signal: AbortSignal): Promise<string>;
  /** Reports signs of life. @returns the function that removes the listener. */
  follow(reader: (sign: AgentSign) => void): () => void;
  /**
   * Gives the agent a message, which it reads after its current call.
   * @returns false if no turn runs, so the message was not taken.
   */
  send(message: string): boolean;
  /** The last entry of the agent's conversation; null before the first entry. */
  readonly lastId: string | null;
  interrupt(): void;
  /** Ends the agent's turn, its background work and the agents below it. */
  close(): Promise<unknown>;
}

/**
 * Opens a child of the agent that makes the call.
 * @param signal The signal of the call that opens the child: when it aborts, no agent stays open.
 * @throws {UserFacingError} the agent's folder, tools, rules or model can't be used.
 */
export type SpawnAgent = (scope: AgentScope, signal?: AbortSignal) => Promise<SpawnedAgent>;
