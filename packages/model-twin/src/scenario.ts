/**
 * The replies of a twin: a provider-neutral, JSON-serialisable list, or a function of the request. Types and small
 * builders; `scenario-json.ts` reads the same from a file.
 */

export type JsonObject = { readonly [key: string]: unknown };

/** Without a `signature`, the wire signs the text itself, so that any twin recognises it later. */
export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | ToolUseReply;

/**
 * Without an `id`, the wire makes one that the request's history does not contain. `inputText` replaces `input` and
 * is sent unchanged: broken JSON, or JSON cut short.
 */
export type ToolUseReply = {
  readonly type: "tool_use";
  readonly name: string;
  readonly id?: string;
} & ({ readonly input: JsonObject } | { readonly inputText: string });

export const STOP_REASONS = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/**
 * Tokens. Missing counts are estimated from the text (input, output, reasoning) or are 0 (cache). `inputTokens`
 * excludes tokens read from or written to the cache; `outputTokens` includes `reasoningTokens`, which only some
 * wires report.
 */
export type ReplyUsage = {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheCreationTokens?: number;
  readonly reasoningTokens?: number;
};

/**
 * Byte sizes of the pieces in which a body is written, regardless of the borders of events and characters. A list
 * starts again when it is used up; `seed` draws sizes from `min` (1) to `max` (64), the same for the same seed.
 */
export type CutBytes = readonly number[] | { readonly seed: number; readonly min?: number; readonly max?: number };

/** `afterDeltas` counts every delta event of the stream, of any block, signatures included. */
export type Fault =
  /**
   * An HTTP error instead of a stream. Without an `errorType`, the API's type for that status is used. `retryAfter`:
   * seconds, or an HTTP date.
   */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly message?: string;
      readonly errorType?: string;
      readonly retryAfter?: number | string;
      readonly headers?: { readonly [name: string]: string };
    }
  /** Status 200, then an `error` event in the stream, then its end. */
  | {
      readonly kind: "error_event";
      readonly afterDeltas: number;
      readonly errorType?: string;
      readonly message?: string;
    }
  /** The connection breaks in the middle of the body: after n deltas or after n bytes of the body. `reset`: by TCP's RST. */
  | { readonly kind: "cut"; readonly afterDeltas: number; readonly reset?: boolean }
  | { readonly kind: "cut"; readonly afterBytes: number; readonly reset?: boolean }
  /** The connection breaks before any answer. */
  | { readonly kind: "hang_up"; readonly reset?: boolean }
  /** Accepts the request and never answers. */
  | { readonly kind: "silence" }
  /** Goes silent after n deltas; the connection stays open. */
  | { readonly kind: "stall"; readonly afterDeltas: number }
  /** The stream ends properly but without its last event; with `afterDeltas`, it ends after n deltas. */
  | { readonly kind: "no_stop"; readonly afterDeltas?: number };

/** `atStart` (true): one ping before the first delta. `every`: one more after each n deltas. */
export type Pings = { readonly atStart?: boolean; readonly every?: number };

/** A web search that the server runs for an answer: each wire sends it in its own form, if the request asks for the API's search. */
export type ReplySearch = {
  readonly query: string;
  readonly results: readonly {
    readonly url: string;
    readonly title: string;
    /** As Anthropic tells it. */
    readonly age?: string;
    /** Text of the page, which only some APIs show. */
    readonly text?: string;
  }[];
  /** Parts of the answer's text, and the results (from 0) that support each. */
  readonly cites?: readonly { readonly text: string; readonly results: readonly number[] }[];
  /** The search failed, with one of Anthropic's codes. */
  readonly error?: string;
};

/** How a reply is sent. */
export type ReplyDelivery = {
  /** Characters of each delta; 16 if left out. Never splits a surrogate pair. */
  readonly deltaChars?: number;
  readonly cutBytes?: CutBytes;
  /** Milliseconds between deltas; 0 if left out. */
  readonly paceMs?: number;
  readonly pings?: Pings;
  /** Text and thinking blocks carry their first delta's text in their start event too. */
  readonly repeatFirstDelta?: boolean;
  readonly fault?: Fault;
};

/** One answer. `stopReason` defaults to `tool_use` if a tool is called, else to `end_turn`. */
export type Reply = ReplyDelivery & {
  readonly content: readonly ReplyBlock[];
  readonly stopReason?: StopReason;
  /** The matched stop sequence; used only with `stop_sequence`. */
  readonly stopSequence?: string;
  readonly usage?: ReplyUsage;
  readonly search?: ReplySearch;
};

/** The part of a valid request that a scenario function gets. */
export type ScenarioRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON. */
  readonly body: unknown;
};

/** `index` counts the requested replies, from 0: only valid requests for an answer take a reply. */
export type ScenarioFunction = (request: ScenarioRequest, index: number) => Reply | Promise<Reply>;
export type Scenario = readonly Reply[] | ScenarioFunction;

export const text = (content: string): ReplyBlock => ({ type: "text", text: content });

export const thinking = (content: string, signature?: string): ReplyBlock =>
  signature === undefined
    ? { type: "thinking", thinking: content }
    : { type: "thinking", thinking: content, signature };

export const redactedThinking = (data: string): ReplyBlock => ({ type: "redacted_thinking", data });

export const toolUse = (name: string, input: JsonObject = {}, id?: string): ReplyBlock =>
  id === undefined ? { type: "tool_use", name, input } : { type: "tool_use", name, input, id };

/** A tool call whose input is exactly this text: broken JSON, or JSON cut short. */
export const rawToolUse = (name: string, inputText: string, id?: string): ReplyBlock =>
  id === undefined ? { type: "tool_use", name, inputText } : { type: "tool_use", name, inputText, id };

/** `reply("Done.")`, `reply([text("Look."), toolUse("Read", { file_path: "a" })], { paceMs: 5 })`. */
export const reply = (content: string | readonly ReplyBlock[], options: Omit<Reply, "content"> = {}): Reply => ({
  ...options,
  content: typeof content === "string" ? [text(content)] : content,
});

/** A reply that consists only of a fault: `[failing(fault.overloaded()), reply("Done.")]`. */
export const failing = (failure: Fault): Reply => ({ content: [], fault: failure });

type StatusDetails = Omit<Extract<Fault, { kind: "status" }>, "kind" | "status">;

export const fault = {
  status: (status: number, details: StatusDetails = {}): Fault => ({ ...details, kind: "status", status }),
  /** 429; `retryAfter` in seconds, or an HTTP date. */
  rateLimited: (retryAfter?: number | string): Fault =>
    retryAfter === undefined ? fault.status(429) : fault.status(429, { retryAfter }),
  /** 529. */
  overloaded: (): Fault => fault.status(529),
  /** 500. */
  serverError: (): Fault => fault.status(500),
  /** 400. */
  badRequest: (message: string): Fault => fault.status(400, { message }),
  errorEvent: (afterDeltas: number, errorType = "overloaded_error", message = "Overloaded"): Fault => ({
    kind: "error_event",
    afterDeltas,
    errorType,
    message,
  }),
  cut: (after: { readonly deltas: number } | { readonly bytes: number }): Fault =>
    "deltas" in after ? { kind: "cut", afterDeltas: after.deltas } : { kind: "cut", afterBytes: after.bytes },
  hangUp: (): Fault => ({ kind: "hang_up" }),
  /** Like `cut`, or by default like `hangUp`, but with a TCP reset. */
  reset: (after?: { readonly deltas: number } | { readonly bytes: number }): Fault =>
    ({
      ...(after ? fault.cut(after) : fault.hangUp()),
      reset: true,
    }) as Fault,
  silence: (): Fault => ({ kind: "silence" }),
  stall: (afterDeltas: number): Fault => ({ kind: "stall", afterDeltas }),
  noStop: (afterDeltas?: number): Fault =>
    afterDeltas === undefined ? { kind: "no_stop" } : { kind: "no_stop", afterDeltas },
};
