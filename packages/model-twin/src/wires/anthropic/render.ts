import type { Reply, ReplyBlock, ReplyUsage, StopReason } from "../../scenario.ts";
import { isObject } from "../../shape.ts";
import { jsonTokens, textTokens } from "../tokens.ts";
import { requestTokens } from "./estimate.ts";
import type { CacheUse } from "./prompt-cache.ts";
import type { RenderedBlock } from "./rendered-block.ts";
import type { MessagesRequest } from "./request.ts";
import { citedBlocks, searchBlocks, searchUsage } from "./search-blocks.ts";
import { signThinking } from "./sent-replies.ts";

/** The API does not count thinking and text separately. */
type MessageUsage = Required<Omit<ReplyUsage, "reasoningTokens">>;

export type RenderedMessage = {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly RenderedBlock[];
  readonly stopReason: StopReason;
  readonly stopSequence: string | null;
  readonly usage: MessageUsage;
  /** The searches that the server ran. */
  readonly searches: number;
};

/** The request that a message answers. `bodyText`: the request's text, searched for ids that are already in use. */
type RenderContext = {
  readonly request: MessagesRequest;
  readonly bodyText: string;
  readonly messageId: string;
  readonly cached: CacheUse;
  /** The number of the next id that this server hands out. */
  readonly nextId: () => number;
};

/** A new id, always the same in the same place of a scenario, that a history from an earlier twin does not hold. */
function freshToolUseId({ bodyText, nextId }: RenderContext): string {
  for (;;) {
    const id = `toolu_twin_${String(nextId()).padStart(6, "0")}`;
    if (!bodyText.includes(id)) return id;
  }
}

/** A broken JSON text counts as an empty input where a parsed input is needed. */
function parsedInput(inputText: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(inputText);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function renderBlock(block: ReplyBlock, context: RenderContext): RenderedBlock {
  switch (block.type) {
    case "thinking":
      return { block: { ...block, signature: block.signature ?? signThinking(block.thinking) } };
    case "tool_use": {
      const id = block.id ?? freshToolUseId(context);
      const { name } = block;
      if ("inputText" in block) {
        return {
          block: { type: "tool_use", id, name, input: parsedInput(block.inputText) },
          inputText: block.inputText,
        };
      }
      const inputText = Object.keys(block.input).length === 0 ? "" : JSON.stringify(block.input);
      return { block: { type: "tool_use", id, name, input: block.input }, inputText };
    }
    default:
      return { block };
  }
}

function outputTokens(blocks: readonly RenderedBlock[]): number {
  const counts = blocks.map(({ block, inputText }) => {
    if (block.type === "text") return textTokens(block.text);
    if (block.type === "thinking") return textTokens(block.thinking);
    return block.type === "tool_use" ? textTokens(block.name) + jsonTokens(inputText ?? "") : jsonTokens(block);
  });
  return Math.max(
    1,
    counts.reduce((total, count) => total + count, 0),
  );
}

/** Adds the missing parts of a reply: ids, signatures, the stop reason, the usage. */
export function renderMessage(reply: Reply, context: RenderContext): RenderedMessage {
  const isSearching = context.request.tools?.some(({ type }) => type?.startsWith("web_search_")) ?? false;
  const search = isSearching ? reply.search : undefined;
  const own = reply.content.map((block) => renderBlock(block, context));
  const blocks = search
    ? [...searchBlocks(search, context.messageId), ...own.flatMap((one) => citedBlocks(one, search))]
    : own;
  const callsTool = blocks.some(({ block }) => block.type === "tool_use");
  const { usage = {} } = reply;
  const cacheReadTokens = usage.cacheReadTokens ?? context.cached.readTokens;
  const cacheCreationTokens = usage.cacheCreationTokens ?? context.cached.creationTokens;
  const cached = cacheReadTokens + cacheCreationTokens;
  return {
    id: context.messageId,
    model: context.request.model,
    blocks,
    stopReason: reply.stopReason ?? (callsTool ? "tool_use" : "end_turn"),
    stopSequence: reply.stopSequence ?? null,
    searches: search ? 1 : 0,
    usage: {
      inputTokens: usage.inputTokens ?? Math.max(0, requestTokens(context.request) - cached),
      outputTokens: usage.outputTokens ?? outputTokens(blocks),
      cacheReadTokens,
      cacheCreationTokens,
    },
  };
}

/** The usage in the API's form, with the output tokens known so far. */
export function wireUsage(usage: MessageUsage, outputTokensSoFar: number, searches = 0) {
  return {
    ...searchUsage(searches),
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheCreationTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: outputTokensSoFar,
  };
}

/** A refusal carries details; other reasons have none. */
export function stopDetails(stopReason: StopReason) {
  return stopReason === "refusal" ? { type: "refusal", category: null, explanation: null } : null;
}

/** The message as a JSON answer holds it. */
export function wireMessage(message: RenderedMessage) {
  const { id, model, blocks, stopReason, stopSequence, usage } = message;
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: blocks.map(({ block }) => block),
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    stop_details: stopDetails(stopReason),
    usage: wireUsage(usage, usage.outputTokens, message.searches),
  };
}
