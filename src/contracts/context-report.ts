import type { CompactionReport } from "./compaction.ts";
import type { InstructionOrigin } from "./instructions.ts";
import type { WindowLimits } from "./window-limits.ts";

/**
 * The sources of a request's tokens: the system prompt, built-in tools, tools of MCP servers, instruction files, notes
 * of the project's memory, messages.
 */
export const CONTEXT_SOURCES = ["prompt", "tools", "mcp", "instructions", "memory", "messages"] as const;
export type ContextSource = (typeof CONTEXT_SOURCES)[number];

/** The price of tokens as input of one request, in US dollars: with and without the prompt cache. */
export type InputPrice = { readonly cached: number; readonly uncached: number };

/** One part of the next request. */
export type ContextRow = {
  readonly source: ContextSource;
  readonly label: string;
  readonly tokens: number;
  /** The share of the window, from 0 to 1. */
  readonly share: number;
  /** Absent if the price of the model is unknown. */
  readonly usd?: InputPrice;
  /** Set for an instruction file that is active. */
  readonly origin?: InstructionOrigin;
};

/** `isPinned`: no compaction removes the turn or result. */
export type ContextResult = ContextRow & { readonly toolUseId: string; readonly isPinned?: true };

/** A prompt and all messages up to the next prompt. */
export type ContextTurn = ContextRow & {
  /** From 1. */
  readonly number: number;
  /** The id of the turn's first message; empty for a turn that has not begun yet. */
  readonly id: string;
  readonly isPinned?: true;
  /** The turn's results; their tokens are part of the turn's tokens. */
  readonly results: readonly ContextResult[];
};

/** The tokens of the messages by kind. `words`: text in the user's role; `answers`: text and thinking of the model. */
export const MESSAGE_KINDS = ["words", "answers", "calls", "results", "attachments"] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** The tokens of a tool's calls and of their results. */
export type ToolTraffic = { readonly name: string; readonly callTokens: number; readonly resultTokens: number };

/** Deferred tools, which no request declares. */
export type DeferredTools = { readonly source: string; readonly tools: number; readonly tokens: number };

/** Every token of the next request by its source. The tokens of the rows and the turns add up to `usedTokens`. */
export type ContextReport = {
  readonly model: string;
  readonly limits: WindowLimits;
  /** True if Quoll compacts the conversation automatically. */
  readonly autoCompact: boolean;
  readonly usedTokens: number;
  /**
   * `provider`: the provider counted each part. `usage`: the sum is based on the newest answer, the parts are
   * estimated.
   */
  readonly countedBy: "provider" | "usage" | "estimate";
  /** Of all tokens. */
  readonly usd?: InputPrice;
  readonly bySource: Readonly<Record<ContextSource, number>>;
  /** Every part except the messages, in the order of the request. */
  readonly rows: readonly ContextRow[];
  /** Oldest first. */
  readonly turns: readonly ContextTurn[];
  readonly byKind: Readonly<Record<MessageKind, number>>;
  readonly byTool: readonly ToolTraffic[];
  readonly deferred: readonly DeferredTools[];
  /** The check of the newest summary against the log. */
  readonly lastSummary?: CompactionReport;
};

/** Tokens of the parts as the provider counted them; `used`: tokens of the whole request. */
export type CountedParts = {
  readonly system: number;
  readonly own: number;
  readonly servers: number;
  readonly used: number;
};
