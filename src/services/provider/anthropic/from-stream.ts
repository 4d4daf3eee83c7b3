import {
  type AssistantBlock,
  type AssistantMessage,
  isJsonObject,
  type JsonObject,
  NO_USAGE,
  type StopReason,
  type ToolUseBlock,
  type Usage,
} from "../../../contracts/message.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import { BrokenStreamError } from "../request/broken-stream.ts";
import { reportedCost, reportedSearches } from "../request/reported-usage.ts";
import { stopReasonOf, unknownEnd } from "../request/stop-words.ts";
import { parseToolInput } from "../request/tool-input.ts";
import type { WireBlock, WireEvent, WireUsage } from "./server-events.ts";

/** A block during streaming. Deltas are joined once, at its end. */
type OpenBlock = {
  readonly start: WireBlock;
  readonly parts: string[];
  readonly signature: string[];
  readonly citations: JsonObject[];
};

type FreshId = (given: string) => string;

const NONE: readonly ProviderEvent[] = [];
const KNOWN_BLOCKS: ReadonlySet<unknown> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

/**
 * Builds one answer from the events of a stream.
 *
 * Blocks start empty and take only their deltas, because a server may repeat the first text in the start event. The
 * content of a start event is used only for a block without deltas. Unknown events are ignored; unknown blocks, such as
 * a search on the server, are kept unchanged.
 */
export class MessageAssembler {
  readonly #open = new Map<number, OpenBlock>();
  readonly #done = new Map<number, AssistantBlock>();
  readonly #provider: string | undefined;
  readonly #freshId: FreshId;
  #model: string;
  #usage: Usage = NO_USAGE;
  /** The server's word for the end of the answer. */
  #stopWord: string | undefined;
  #isComplete = false;

  /**
   * @param model the requested model, until the server names the model that answers.
   * @param freshId returns an id that is new in the conversation.
   */
  constructor(model: string, provider?: string, freshId: FreshId = (given) => given) {
    this.#model = model;
    this.#provider = provider;
    this.#freshId = freshId;
  }

  /** True after `message_stop`, when `done` has been emitted. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The usage reported so far; undefined before the start of the message. */
  get usage(): Usage | undefined {
    return this.#usage === NO_USAGE ? undefined : this.#usage;
  }

  accept(event: WireEvent): readonly ProviderEvent[] {
    switch (event.type) {
      case "message_start":
        if (typeof event.message?.model === "string" && event.message.model !== "") this.#model = event.message.model;
        this.#usage = withUsage(this.#usage, event.message?.usage);
        return NONE;
      case "content_block_start":
        return this.#start(indexOf(event), event.content_block);
      case "content_block_delta":
        return this.#extend(indexOf(event), event.delta);
      case "content_block_stop":
        return this.#finish(indexOf(event));
      case "message_delta":
        this.#stopWord = stringOf(event.delta?.["stop_reason"]) || this.#stopWord;
        this.#usage = withUsage(this.#usage, event.usage);
        return NONE;
      case "message_stop":
        return this.#complete();
      default:
        return NONE;
    }
  }

  #start(index: number, block: WireBlock | null | undefined): readonly ProviderEvent[] {
    if (!block || !isWhole(block)) return NONE;
    const start = block.type === "tool_use" ? { ...block, id: this.#freshId(stringOf(block["id"])) } : block;
    this.#open.set(index, { start, parts: [], signature: [], citations: [] });
    return NONE;
  }

  #extend(index: number, delta: WireEvent["delta"]): readonly ProviderEvent[] {
    const block = this.#open.get(index);
    if (!block || !delta) return NONE;
    switch (`${block.start.type}:${delta.type}`) {
      case "text:text_delta":
        return take(block.parts, delta["text"], (text) => ({ type: "text_delta", text }));
      case "text:citations_delta":
        if (isJsonObject(delta["citation"])) block.citations.push(delta["citation"]);
        return NONE;
      case "thinking:thinking_delta":
        return take(block.parts, delta["thinking"], (text) => ({ type: "thinking_delta", text }));
      case "thinking:signature_delta":
        take(block.signature, delta["signature"]);
        return NONE;
      case "tool_use:input_json_delta":
        return take(block.parts, delta["partial_json"], (json) => ({
          type: "tool_input_delta",
          toolUseId: stringOf(block.start["id"]),
          toolName: stringOf(block.start["name"]),
          json,
        }));
      default:
        if (!KNOWN_BLOCKS.has(block.start.type) && delta.type === "input_json_delta")
          take(block.parts, delta["partial_json"]);
        return NONE;
    }
  }

  #finish(index: number): readonly ProviderEvent[] {
    const open = this.#open.get(index);
    if (!open) return NONE;
    this.#open.delete(index);
    const block = finished(open);
    if (!block) return NONE;
    this.#done.set(index, block);
    return [{ type: "block_done", block }];
  }

  #complete(): readonly ProviderEvent[] {
    if (this.#isComplete) return NONE;
    const stopReason = this.#stopReason();
    if (stopReason === "broken") throw incomplete(`The model's answer was interrupted (${this.#stopWord}).`);
    if (stopReason !== "max_tokens" && [...this.#open.values()].some(isIncompleteCall))
      throw incomplete("The stream ended before the input of a call was complete.");
    const late = [...this.#open.keys()].flatMap((index) => this.#finish(index));
    this.#isComplete = true;
    const notice: ProviderEvent = { type: "notice", message: unknownEnd(this.#stopWord ?? "") };
    const message: Omit<AssistantMessage, "id"> = {
      role: "assistant",
      ...(this.#provider !== undefined && { provider: this.#provider }),
      model: this.#model,
      content: [...this.#done].sort(([a], [b]) => a - b).map(([, block]) => block),
      stopReason,
      usage: this.#usage,
    };
    return [...late, ...(stopReason === "other" ? [notice] : []), { type: "done", message }];
  }

  /** Without a word, the end of the message itself says that the answer is complete. */
  #stopReason(): StopReason | "broken" {
    if (this.#stopWord !== undefined) return stopReasonOf(this.#stopWord) ?? "other";
    const blocks = [...this.#done.values(), ...[...this.#open.values()].map(({ start }) => start)];
    return blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  }
}

function incomplete(message: string): BrokenStreamError {
  return new BrokenStreamError(message, undefined, { fault: "incomplete" });
}

/** True for a call whose input did not arrive, or is not valid JSON. */
function isIncompleteCall({ start, parts }: OpenBlock): boolean {
  return start.type === "tool_use" && (parts.length === 0 || parseToolInput(parts.join("")).malformed !== undefined);
}

function isWhole({ type, id, name }: WireBlock): boolean {
  if (type === "tool_use") return typeof id === "string" && typeof name === "string";
  return typeof type === "string" && type !== "";
}

/** Stores a delta with content and turns it into an event. */
function take(parts: string[], value: unknown, toEvent?: (text: string) => ProviderEvent): readonly ProviderEvent[] {
  if (typeof value !== "string" || value === "") return NONE;
  parts.push(value);
  return toEvent ? [toEvent(value)] : NONE;
}

/** Undefined for an empty block. */
function finished({ start, parts, signature, citations }: OpenBlock): AssistantBlock | undefined {
  const joined = (field: string) => (parts.length > 0 ? parts.join("") : stringOf(start[field]));
  switch (start.type) {
    case "text": {
      const text = joined("text");
      const cited = citations.length > 0 ? citations : listOf(start["citations"]);
      return text === "" ? undefined : { type: "text", text, ...(cited.length > 0 && { citations: cited }) };
    }
    case "thinking": {
      const thinking = joined("thinking");
      const signed = signature.length > 0 ? signature.join("") : stringOf(start["signature"]);
      return thinking === "" && signed === "" ? undefined : { type: "thinking", thinking, signature: signed };
    }
    case "redacted_thinking":
      return { type: "redacted_thinking", data: stringOf(start["data"]) };
    case "tool_use":
      return toolUse(start, parts);
    default:
      return { type: "opaque", data: parts.length > 0 ? { ...start, ...parseToolInput(parts.join("")) } : start };
  }
}

function toolUse(start: WireBlock, parts: readonly string[]): ToolUseBlock {
  const text = parts.length > 0 ? parts.join("") : JSON.stringify(start["input"] ?? {});
  return { type: "tool_use", id: stringOf(start["id"]), name: stringOf(start["name"]), ...parseToolInput(text) };
}

/** Applies the given counts; later counts replace earlier ones. Some gateways end with zeros for the counts of the prompt. */
function withUsage(usage: Usage, given: WireUsage | null | undefined): Usage {
  const input = [given?.input_tokens, given?.cache_read_input_tokens, given?.cache_creation_input_tokens];
  const hasInput = input.some((value) => typeof value === "number" && value > 0);
  const count = (value: unknown, before: number) => (hasInput && typeof value === "number" ? value : before);
  const costUsd = reportedCost(given) ?? usage.costUsd;
  const webSearches = reportedSearches(given) ?? usage.webSearches;
  return {
    inputTokens: count(given?.input_tokens, usage.inputTokens),
    outputTokens: typeof given?.output_tokens === "number" ? given.output_tokens : usage.outputTokens,
    cacheReadTokens: count(given?.cache_read_input_tokens, usage.cacheReadTokens),
    cacheWriteTokens: count(given?.cache_creation_input_tokens, usage.cacheWriteTokens),
    ...(costUsd !== undefined && { costUsd }),
    ...(webSearches !== undefined && { webSearches }),
  };
}

function indexOf({ index }: WireEvent): number {
  return typeof index === "number" ? index : -1;
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
