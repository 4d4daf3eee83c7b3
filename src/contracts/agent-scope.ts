import type { AgentSource } from "./agent.ts";
import type { Usage } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";

/** The scope of a child agent. Missing parts come from its parent; no part is wider than the parent's. */
export type AgentScope = {
  /** The id of the call that the agent works for. An agent that a tool opens gets the id of that tool's call. */
  readonly parentToolUseId?: string;
  /** Where it starts, inside a folder that its parent works in; absolute. */
  readonly cwd?: string;
  /** In place of its parent's system prompt. */
  readonly systemPrompt?: string;
  /** The only tools of the parent that the agent gets. */
  readonly tools?: readonly string[];
  /** A narrower mode than its parent's; a wider one is not taken. */
  readonly permissionMode?: PermissionMode;
  /** Rules that deny or ask, beside all of its parent's. */
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  /** A name or alias. */
  readonly model?: string;
  /** Model requests in one turn at most. */
  readonly maxSteps?: number;
  /** The budget of the agent and its child agents; its parent's budgets also hold. */
  readonly budget?: { readonly usd?: number; readonly tokens?: number };
};

/** How a turn of a child agent ended. */
export type AgentReport = {
  readonly reason: string;
  /** The text of its last answer. */
  readonly text: string;
  readonly steps: number;
  readonly usage: Usage;
  /** US dollars; undefined when a model's price is unknown. */
  readonly costUsd: number | undefined;
};

/** A child agent that is open. */
export interface SpawnedAgent {
  readonly source: AgentSource;
  /**
   * Runs one turn to its rest.
   * @param signal Of the call that waits for it: when it aborts, the turn is interrupted.
   */
  run(prompt: string, signal?: AbortSignal): Promise<AgentReport>;
  interrupt(): void;
  /** Ends its turn, its background work and the agents below it. */
  close(): Promise<unknown>;
}

/**
 * Opens a child of the agent that makes the call.
 * @param signal Of that call: when it aborts, no agent stays open.
 * @throws {UserFacingError} the agent's folder, tools, rules or model can't be used.
 */
export type SpawnAgent = (scope: AgentScope, signal?: AbortSignal) => Promise<SpawnedAgent>;
