import type { AssistantBlock, AssistantMessage, Message, Usage } from "./message.ts";
import type { JsonSchema } from "./tool.ts";

export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
};

export const EFFORTS = ["low", "medium", "high", "max"] as const;
/** How hard a model thinks. Each provider has its own name for it. */
export type Effort = (typeof EFFORTS)[number];

/**
 * False or 0: no thinking at all, where that can be had. True: thinking, as hard as the effort says. A number: thinking with
 * that many tokens at most; a model that takes no number gets the effort that comes nearest, where none is chosen.
 */
export type Thinking = boolean | number;

/** How a model is told how much to think: by an effort alone (it decides by itself), or by a number of tokens. */
export const THINKING_STYLES = ["adaptive", "budget"] as const;
export type ThinkingStyle = (typeof THINKING_STYLES)[number];

export type ProviderRequest = {
  /** The model as the provider names it. */
  readonly model: string;
  /** Static text; nothing volatile may stand here, or the prompt cache is lost. */
  readonly system: string;
  readonly messages: readonly Message[];
  /** Constant for the whole session. */
  readonly tools: readonly ToolDeclaration[];
  readonly maxTokens: number;
  /** Undefined: what the model does of itself. */
  readonly effort?: Effort;
  /** Undefined: what the model does of itself. */
  readonly thinking?: Thinking;
  /** The JSON schema of the answer. A provider that can enforces it; the engine checks the answer in any case. */
  readonly outputSchema?: JsonSchema;
  /** Times in a row that an overloaded server is asked again before the request fails as `overloaded`; undefined: as any failure. */
  readonly maxOverloads?: number;
  /**
   * Receives the usage of each try that the server accepted, even of an interrupted one, whose usage is estimated.
   * Refused or unconnected tries are not reported.
   */
  spent?(usage: Usage): void;
};

/**
 * The events of a running request. Deltas are for screens; only `done` becomes history. `restarted` voids every earlier
 * delta and block of the request (the stream broke and is tried again).
 */
export type ProviderEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly text: string }
  | { readonly type: "tool_input_delta"; readonly toolUseId: string; readonly toolName: string; readonly json: string }
  /** A block is complete: a tool call may start while the stream goes on. */
  | { readonly type: "block_done"; readonly block: AssistantBlock }
  | { readonly type: "restarted"; readonly reason: string }
  | {
      readonly type: "retry";
      /** The try to come: 2 after the first that failed. */
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly status: number | undefined;
      readonly message: string;
    }
  | { readonly type: "notice"; readonly message: string }
  | { readonly type: "done"; readonly message: Omit<AssistantMessage, "id"> };

export interface Provider {
  /** `anthropic`, `offline` … */
  readonly name: string;
  /**
   * Streams one answer and ends with one `done`. Retries inside.
   * @throws {ProviderError} when retries are spent or cannot help; the abort reason when `signal` aborts.
   */
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /**
   * Input tokens of a request as the provider itself counts them, for nothing. Left out where it can't; undefined where it
   * doesn't now.
   * @throws the abort reason when `signal` aborts.
   */
  countTokens?(request: ProviderRequest, signal: AbortSignal): Promise<number | undefined>;
}

export type ModelCapabilities = {
  /** Tokens. */
  readonly contextWindow: number;
  /** Tokens. */
  readonly maxOutputTokens: number;
  readonly images: boolean;
  /** PDF documents. */
  readonly documents: boolean;
  readonly thinking: boolean;
  readonly thinkingStyle?: ThinkingStyle;
  /** The least and the most tokens of thinking that it takes, where it takes a number. */
  readonly thinkingTokens?: { readonly min: number; readonly max: number };
  readonly tools: boolean;
  /** True if several calls may stand in one answer. */
  readonly parallelCalls: boolean;
  /** Empty where effort can't be chosen. */
  readonly efforts: readonly Effort[];
  /** False for a model that the table does not know: the numbers are safe guesses. */
  readonly known: boolean;
};
