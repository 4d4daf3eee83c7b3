/**
 * The message types of the provider-neutral history. A sent message is never mutated, so every type here is read-only.
 */
import type { KnownContent, ResultFacts } from "./result-facts.ts";

/** A JSON object of unknown form. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True if a value is an object with named fields, not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type TextBlock = {
  readonly type: "text";
  readonly text: string;
  /** The sources of a model's text in the provider's own format; sent back only to that provider. */
  readonly citations?: readonly JsonObject[];
  /** Opaque data that is returned to its provider byte for byte. */
  readonly signature?: string;
  /** The file whose whole content a text of a prompt shows; no provider gets this field. */
  readonly knows?: KnownContent;
};

export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** `data` is base64 without line breaks. */
export type ImageBlock = { readonly type: "image"; readonly mediaType: ImageMediaType; readonly data: string };

/** A PDF. `data` is base64 without line breaks; `pages` is the number of its pages, if it is known. */
export type DocumentBlock = {
  readonly type: "document";
  readonly mediaType: "application/pdf";
  readonly data: string;
  readonly title?: string;
  readonly pages?: number;
};

/** The kinds of input that a model takes beside text. */
export type AcceptedMedia = { readonly images: boolean; readonly documents: boolean };

/** `signature` is opaque and is returned to the provider byte for byte; empty if there is none. */
export type ThinkingBlock = { readonly type: "thinking"; readonly thinking: string; readonly signature: string };

export type RedactedThinkingBlock = { readonly type: "redacted_thinking"; readonly data: string };

export type ToolUseBlock = {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Set if the model's JSON could not be parsed: the text and the position of the error. `input` is then `{}`. */
  readonly malformed?: { readonly text: string; readonly problem: string };
  /** Opaque data that is returned to its provider byte for byte. */
  readonly signature?: string;
};

/**
 * A block that only its provider understands, such as a search that the provider ran. The block is returned to its
 * provider unchanged.
 */
export type OpaqueBlock = { readonly type: "opaque"; readonly data: JsonObject };

export type ToolResultContent = string | readonly (TextBlock | ImageBlock | DocumentBlock)[];

export type ToolResultBlock = {
  readonly type: "tool_result";
  readonly toolUseId: string;
  readonly content: ToolResultContent;
  readonly isError: boolean;
} & ResultFacts;

export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock;
export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | OpaqueBlock;

export type UserMessage = { readonly role: "user"; readonly id: string; readonly content: readonly UserBlock[] };

/**
 * Why a model stopped. `other`: a reason that Quoll does not know. `context_exceeded`: the window was full before the
 * answer was complete. `unfinished`: the provider itself reports that the work is not done (the offline engine, after a
 * failed step).
 */
export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "context_exceeded"
  | "unfinished"
  | "other";

/**
 * Token counts as the API reported them. `inputTokens` excludes tokens read from or written to the cache. `estimated`:
 * at least a part was not reported and is Quoll's estimate.
 */
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly estimated?: true;
  /** The cost of the request in US dollars, as the server reports it; absent from sums over several models. */
  readonly costUsd?: number;
  /** Web searches that the provider ran and bills besides the tokens; absent for none. */
  readonly webSearches?: number;
};

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  const costUsd = addReportedCost(a, b);
  const webSearches = (a.webSearches ?? 0) + (b.webSearches ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    ...((a.estimated || b.estimated) && { estimated: true }),
    ...(costUsd !== undefined && { costUsd }),
    ...(webSearches > 0 && { webSearches }),
  };
}

/** Undefined if the server reported the cost of a part only. */
function addReportedCost(a: Usage, b: Usage): number | undefined {
  if (a.costUsd !== undefined && b.costUsd !== undefined) return a.costUsd + b.costUsd;
  if (isNothing(a)) return b.costUsd;
  return isNothing(b) ? a.costUsd : undefined;
}

function isNothing(usage: Usage): boolean {
  return totalInputTokens(usage) + usage.outputTokens === 0;
}

/** The sum of all input tokens of a request: fresh, read from the cache and written to the cache. */
export function totalInputTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

export type AssistantMessage = {
  readonly role: "assistant";
  readonly id: string;
  /** The name of the provider that answered; absent in old sessions, which supported only one provider. */
  readonly provider?: string;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly stopReason: StopReason;
  readonly usage: Usage;
};

export type Message = UserMessage | AssistantMessage;

export function toolUses(message: AssistantMessage): readonly ToolUseBlock[] {
  return message.content.filter((block) => block.type === "tool_use");
}

export function textOf(content: ToolResultContent | readonly (UserBlock | AssistantBlock)[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
