import type { Usage } from "./message.ts";

/** The purpose of a model request. */
export const SPEND_SOURCES = ["main", "subagent", "hook", "compaction", "judge", "memory", "mcp", "web"] as const;
export type SpendSource = (typeof SPEND_SOURCES)[number];

/** The budget of an agent and its child agents. */
export type AgentBudget = { readonly usd?: number | undefined; readonly tokens?: number | undefined };

/** The agent that spends. */
export type SpendingAgent = { readonly agentId: string; readonly parentAgentId: string | null };

/** A request that is about to be sent, with its maximum cost. */
export type PlannedSpend = {
  /** The agent that makes the request; absent for the session's own agent. */
  readonly agent?: SpendingAgent;
  readonly source: SpendSource;
  /** The MCP server that asks the model, for the source `mcp`. */
  readonly server?: string;
  readonly model: string;
  /** The name of the provider, for the ledger. */
  readonly provider?: string;
  /** Estimated. */
  readonly inputTokens: number;
  /** The maximum length of the answer. */
  readonly maxOutputTokens: number;
  /** The most web searches that the provider may run in it; absent for none. */
  readonly webSearches?: number;
  /**
   * The shortest useful answer: if only a shorter answer than planned fits under a cap, at least this length is
   * reserved. If undefined, either the planned length is reserved or nothing.
   */
  readonly minOutputTokens?: number;
  /** False if a request that exceeds a cap is refused without asking the person. */
  readonly mayAsk?: false;
};

/** The worst case of one request, reserved until its real cost is known. */
export interface SpendReservation {
  /** The allowed request: `maxOutputTokens` of the plan, or less if only that fits. */
  readonly maxOutputTokens?: number;
  /**
   * Records the real usage, summed over all attempts that the server accepted. The usage is undefined if the server
   * accepted no attempt: nothing is charged.
   * @param answeredBy the model's name in the server's answer. The answering model's name sets the price if the
   * requested model has none.
   */
  settle(usage: Usage | undefined, answeredBy?: string): Promise<void>;
}

/** The usage and the cost of one request. */
export type Charge = {
  /** Ids of the agent that made the request and of the agents above it; absent for the session's own agent. */
  readonly agentIds?: readonly string[];
  readonly source: SpendSource;
  /** As in the plan. */
  readonly server?: string;
  /** The model as the request names it. */
  readonly model: string;
  readonly usage: Usage;
  /** US dollars; undefined if the price is unknown. */
  readonly usd: number | undefined;
};

/** Enforces the caps on tokens and money: of a session, of a day, of a source. The caps apply in every mode. */
export interface SpendGuard {
  /** Starts a turn: caps of the turn count from here. */
  startTurn(): void;
  /**
   * Reserves the worst case of a request from the rest of the budget.
   * @throws {SpendLimitError} the request exceeds a cap, and the person allowed no more or could not be asked.
   * @throws {UserFacingError} (exit 2) there is a cap on money, and the model's price is unknown; (exit 1) there is a
   * cap on a day, and the day's spend can't be read or written.
   * @throws the abort reason when `signal` has aborted.
   */
  reserve(plan: PlannedSpend, signal: AbortSignal): Promise<SpendReservation>;
  /** Reports each request at the moment from which it counts. Absent if no part of the program needs these reports. */
  watch?(listener: (charge: Charge) => void): () => void;
  /** Releases the remaining reservations. Never rejects. */
  close(): Promise<void>;
}

/** Money and tokens of one source; for the source `mcp`, of each server. */
export type SourceSpend = {
  readonly source: SpendSource;
  readonly server?: string;
  /** US dollars of the requests whose price is known. */
  readonly usd: number;
  readonly tokens: number;
  /** True if some requests had an unknown price. */
  readonly isUnpriced?: true;
  /** True if at least a part is estimated. */
  readonly isEstimate?: true;
};

/** A cap and its used part, in the cap's unit. */
export type CapState = {
  /** The name of the cap in words: `the day's spending cap`. */
  readonly name: string;
  /** The origin of the cap: `spend.dayUsd`, `--max-budget-usd`. */
  readonly setting: string;
  readonly unit: "usd" | "tokens";
  /** The current limit, which may have been raised. */
  readonly limit: number;
  readonly spent: number;
  /** The amount that running requests hold in reserve. */
  readonly held: number;
};

export type SpendStatus = { readonly caps: readonly CapState[] };
