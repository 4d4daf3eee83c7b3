import type { AssistantBlock, AssistantMessage, Message, Usage } from "./message.ts";
import type { JsonSchema } from "./tool.ts";
import type { WebSearchQuery, WebSearchReport } from "./web.ts";

export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
};

export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
/** How hard a model thinks. Each provider has its own name for this setting. */
export type Effort = (typeof EFFORTS)[number];

/**
 * False or 0: no thinking, if the model can turn it off. True: thinking with the chosen effort. A number: thinking with
 * at most that many tokens; if the model takes no number, it gets the nearest effort, unless an effort is chosen.
 */
export type Thinking = boolean | number;

/**
 * How a request limits a model's thinking: only by an effort (the model decides itself), or by a number of tokens.
 */
export const THINKING_STYLES = ["adaptive", "budget"] as const;
export type ThinkingStyle = (typeof THINKING_STYLES)[number];

export type ProviderRequest = {
  /** The model as the provider names it. */
  readonly model: string;
  /** Static text; a part that changes would make every request miss the prompt cache. */
  readonly system: string;
  readonly messages: readonly Message[];
  /** Constant for the whole session. */
  readonly tools: readonly ToolDeclaration[];
  readonly maxTokens: number;
  /** The effort of the request; undefined for the model's default. */
  readonly effort?: Effort;
  /** The thinking of the request; undefined for the model's default. */
  readonly thinking?: Thinking;
  /** The JSON schema of the answer. The provider enforces the schema if it can; the engine checks the answer in any case. */
  readonly outputSchema?: JsonSchema;
  /**
   * The number of retries in a row against an overloaded server, after which the request fails as `overloaded`;
   * undefined: the same number as for any failure.
   */
  readonly maxOverloads?: number;
  /**
   * Receives the usage of each attempt that the server accepted, including interrupted attempts, whose usage is
   * estimated. Refused or unconnected attempts are not reported.
   */
  spent?(usage: Usage): void;
  /** Lets the model search the web with the provider's own search; only requests outside a conversation have it. */
  readonly webSearch?: ProviderSearch;
};

export type ProviderSearch = WebSearchQuery & {
  /** Receives the results before `done`. */
  found(report: WebSearchReport): void;
};

/**
 * The events of a running request. Deltas are for screens; only `done` becomes history. `restarted` voids all earlier
 * deltas and blocks of the request (the stream broke and is tried again).
 */
export type ProviderEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly text: string }
  | { readonly type: "tool_input_delta"; readonly toolUseId: string; readonly toolName: string; readonly json: string }
  /** A block is complete: a tool call may start while the stream continues. */
  | { readonly type: "block_done"; readonly block: AssistantBlock }
  | { readonly type: "restarted"; readonly reason: string }
  | {
      readonly type: "retry";
      /** The number of the next attempt: 2 after the first failure. */
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly status: number | undefined;
      readonly message: string;
    }
  | { readonly type: "notice"; readonly message: string /** A warning without it. */; readonly level?: "info" }
  | { readonly type: "done"; readonly message: Omit<AssistantMessage, "id"> };

export interface Provider {
  /** `anthropic`, `offline` … */
  readonly name: string;
  /** True if requests may have a `webSearch`. */
  readonly searchesWeb?: boolean;
  /**
   * Streams one answer and ends with one `done`. Retries inside.
   * @throws {ProviderError} when retries are spent or cannot help; the abort reason when `signal` aborts.
   */
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /**
   * Counts the input tokens of a request through the provider, free of charge. Absent if the provider can't count; the
   * result is undefined if the provider does not answer.
   * @throws the abort reason when `signal` aborts.
   */
  countTokens?(request: ProviderRequest, signal: AbortSignal): Promise<number | undefined>;
}

export type ModelCapabilities = {
  /** Tokens. */
  readonly contextWindow: number;
  /** True if the model could take more, but its server has loaded it with this window. */
  readonly isLoadedWindow?: true;
  /** Tokens. */
  readonly maxOutputTokens: number;
  readonly images: boolean;
  /** PDF documents. */
  readonly documents: boolean;
  readonly thinking: boolean;
  readonly thinkingStyle?: ThinkingStyle;
  /** The minimum and the maximum of thinking tokens, if the model takes a number. */
  readonly thinkingTokens?: { readonly min: number; readonly max: number };
  readonly tools: boolean;
  /** True if one answer may contain several calls. */
  readonly parallelCalls: boolean;
  /** Empty if the model has no effort setting. */
  readonly efforts: readonly Effort[];
  /** False for a model that is not in the table: the numbers are safe guesses. */
  readonly known: boolean;
};
