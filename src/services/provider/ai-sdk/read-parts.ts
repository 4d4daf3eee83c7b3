import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { AssistantBlock, AssistantMessage, StopReason, ToolUseBlock, Usage } from "../../../contracts/message.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import type { WebSearchReport } from "../../../contracts/web.ts";
import type { AnswerReader } from "../request/attempt.ts";
import { BrokenStreamError } from "../request/broken-stream.ts";
import { stopReasonOf, unknownEnd } from "../request/stop-words.ts";
import { parseToolInput } from "../request/tool-input.ts";
import type { SearchReader } from "../search/search-reader.ts";
import { DONE_REASON } from "./event-repair.ts";
import { readUsage } from "./read-usage.ts";
import { detailsOf } from "./reasoning-details.ts";
import { mergedMetadata, signatureOf } from "./signature.ts";
import { streamFault } from "./stream-fault.ts";
import { type TaggedPiece, ThinkTags } from "./think-tags.ts";

const STOP_REASONS: Readonly<Record<LanguageModelV4FinishReason["unified"], StopReason | "broken">> = {
  stop: "end_turn",
  length: "max_tokens",
  "content-filter": "refusal",
  "tool-calls": "tool_use",
  error: "broken",
  interrupted: "broken",
  other: "other",
};
const NONE: readonly ProviderEvent[] = [];
const BROKEN_CALL = /^Malformed function call:\s*(?:.*?default_api\.)?(?<name>[A-Za-z_][\w.-]*)\s*\((?<input>[\s\S]*)$/;

/** Keys of blocks that have no start part. */
const TAGGED_THINKING = "thinking in tags";
const UNTOLD_TEXT = "text untold";

/** A block during streaming. Deltas are joined once, at its end. */
type OpenBlock = {
  readonly kind: "text" | "thinking" | "tool_use";
  /** Its index in the message. */
  readonly index: number;
  readonly parts: string[];
  readonly callId: string;
  readonly toolName: string;
  metadata: SharedV4ProviderMetadata | undefined;
};

export type ReadOptions = {
  /** The provider's name. */
  readonly provider: string;
  /** The requested model. */
  readonly model: string;
  /** True if the server's model name is used when it differs. */
  readonly namesModel: boolean;
  /** An id that is new in the conversation. */
  freshId(given: string): string;
  /** True if thinking may be part of the text, between tags. */
  readonly thinkTags?: boolean;
  /** Reads what the provider's own search finds. */
  readonly search?: { readonly reader: SearchReader; readonly found: (report: WebSearchReport) => void } | undefined;
};

/** Builds one answer from the parts of an AI SDK stream. Unknown parts are ignored. */
export class PartReader implements AnswerReader<LanguageModelV4StreamPart> {
  readonly #options: ReadOptions;
  readonly #open = new Map<string, OpenBlock>();
  readonly #done = new Map<number, AssistantBlock>();
  readonly #tags: ThinkTags | undefined;
  #model: string;
  #count = 0;
  #isComplete = false;
  /** True if the input of a call did not arrive, or is not valid JSON. */
  #hasIncompleteCall = false;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#tags = options.thinkTags ? new ThinkTags() : undefined;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  isKeepAlive(part: LanguageModelV4StreamPart): boolean {
    if ("delta" in part) return part.delta === "";
    return part.type === "stream-start" || part.type === "response-metadata" || part.type === "raw";
  }

  accept(part: LanguageModelV4StreamPart): readonly ProviderEvent[] {
    switch (part.type) {
      case "response-metadata":
        if (this.#options.namesModel && part.modelId) this.#model = answeringModel(this.#options.model, part.modelId);
        return NONE;
      case "text-start":
        return this.#tags?.isOver === false ? NONE : this.#start(`text ${part.id}`, "text", part.providerMetadata);
      case "text-delta":
        return this.#tags?.isOver === false
          ? this.#tagged(this.#tags.split(part.delta), `text ${part.id}`)
          : this.#extend(`text ${part.id}`, "text", part);
      case "text-end":
        return [...this.#endTags(`text ${part.id}`), ...this.#end(`text ${part.id}`, part.providerMetadata)];
      case "reasoning-start":
        return this.#start(`thinking ${part.id}`, "thinking", part.providerMetadata);
      case "reasoning-delta":
        return this.#extend(`thinking ${part.id}`, "thinking", part);
      case "reasoning-end":
        return this.#end(`thinking ${part.id}`, part.providerMetadata);
      case "tool-input-start":
        return part.providerExecuted ? NONE : this.#startCall(part.id, part.toolName, part.providerMetadata);
      case "tool-input-delta":
        return this.#extendCall(part.id, part.delta);
      case "tool-call":
        return part.providerExecuted ? NONE : this.#endCall(part);
      case "finish":
        return this.#finish(part);
      case "raw":
        this.#options.search?.reader.read(part.rawValue);
        return NONE;
      case "error":
        throw streamFault(part.error);
      default:
        return NONE;
    }
  }

  #start(key: string, kind: "text" | "thinking", metadata: OpenBlock["metadata"]): readonly ProviderEvent[] {
    const late = this.#end(key, undefined);
    this.#opened(key, { kind, callId: "", toolName: "", metadata: mergedMetadata(undefined, metadata) });
    return late;
  }

  #opened(
    key: string,
    { metadata, ...block }: Pick<OpenBlock, "kind" | "callId" | "toolName" | "metadata">,
  ): OpenBlock {
    const open: OpenBlock = { ...block, metadata, index: this.#count, parts: [] };
    this.#count += 1;
    this.#open.set(key, open);
    return open;
  }

  #extend(
    key: string,
    kind: "text" | "thinking",
    { delta, providerMetadata }: { delta: string; providerMetadata?: SharedV4ProviderMetadata },
  ): readonly ProviderEvent[] {
    const open = this.#open.get(key) ?? this.#opened(key, { kind, callId: "", toolName: "", metadata: undefined });
    if (providerMetadata) open.metadata = mergedMetadata(open.metadata, providerMetadata);
    if (delta === "") return NONE;
    open.parts.push(delta);
    return [{ type: kind === "text" ? "text_delta" : "thinking_delta", text: delta }];
  }

  #end(key: string, metadata: OpenBlock["metadata"]): readonly ProviderEvent[] {
    const open = this.#open.get(key);
    if (!open) return NONE;
    this.#open.delete(key);
    const block = wordsBlock(open, signatureOf(mergedMetadata(open.metadata, metadata)));
    return block ? this.#settled(open.index, block) : NONE;
  }

  /** Splits text that contains thinking. */
  #tagged(pieces: readonly TaggedPiece[], textKey: string): readonly ProviderEvent[] {
    return pieces.flatMap((piece) => {
      if (piece.kind === "opened_before") return this.#turnIntoThinking(textKey);
      const { kind, text } = piece;
      if (kind === "thinking") return this.#extend(TAGGED_THINKING, "thinking", { delta: text });
      return [...this.#end(TAGGED_THINKING, undefined), ...this.#extend(textKey, "text", { delta: text })];
    });
  }

  /** The text so far was thinking. The screen showed it as text, and it becomes thinking in the message. */
  #turnIntoThinking(textKey: string): readonly ProviderEvent[] {
    const open = this.#open.get(textKey);
    if (!open) return NONE;
    this.#open.delete(textKey);
    const thinking = open.parts.join("").trim();
    return thinking === "" ? NONE : this.#settled(open.index, { type: "thinking", thinking, signature: "" });
  }

  #endTags(textKey: string): readonly ProviderEvent[] {
    if (!this.#tags || this.#tags.isOver) return NONE;
    return [...this.#tagged(this.#tags.end(), textKey), ...this.#end(TAGGED_THINKING, undefined)];
  }

  #startCall(id: string, toolName: string, metadata: OpenBlock["metadata"]): readonly ProviderEvent[] {
    const held = this.#endTags(UNTOLD_TEXT);
    // Chat Completions never marks the end of a text.
    const texts = [...this.#open].flatMap(([key, { kind }]) => (kind === "text" ? this.#end(key, undefined) : NONE));
    const call = { callId: this.#options.freshId(id), toolName };
    this.#opened(`call ${id}`, { kind: "tool_use", ...call, metadata: mergedMetadata(undefined, metadata) });
    return [...held, ...texts];
  }

  #extendCall(id: string, json: string): readonly ProviderEvent[] {
    const open = this.#open.get(`call ${id}`);
    if (!open || json === "") return NONE;
    open.parts.push(json);
    return [{ type: "tool_input_delta", toolUseId: open.callId, toolName: open.toolName, json }];
  }

  #endCall(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): readonly ProviderEvent[] {
    const key = `call ${part.toolCallId}`;
    const late = this.#open.has(key) ? NONE : this.#startCall(part.toolCallId, part.toolName, undefined);
    const open = this.#open.get(key);
    if (!open) return late;
    this.#open.delete(key);
    const metadata = mergedMetadata(open.metadata, part.providerMetadata);
    const block = callBlock({ ...open, metadata }, part.input);
    this.#hasIncompleteCall ||= open.parts.length === 0 || block.malformed !== undefined;
    return [...late, ...this.#settled(open.index, block)];
  }

  #settled(index: number, block: AssistantBlock): readonly ProviderEvent[] {
    this.#done.set(index, block);
    return [{ type: "block_done", block }];
  }

  #finish({ finishReason, usage, providerMetadata }: FinishPart): readonly ProviderEvent[] {
    const told = toldReason(finishReason);
    const broken = told === "broken" ? brokenCall(finishReason, providerMetadata) : undefined;
    if (told === "broken" && !broken)
      throw new BrokenStreamError(brokenWords(finishReason), undefined, { fault: "incomplete" });
    const stopReason = told === "broken" ? "tool_use" : told;
    const held = this.#endTags(UNTOLD_TEXT);
    const misread = broken
      ? [...this.#startCall("call", broken.name, undefined), ...this.#extendCall("call", broken.json)]
      : [];
    const late = [...this.#open].flatMap(([key, open]) =>
      open.kind === "tool_use"
        ? this.#settled(open.index, callBlock(open, open.parts.join("")))
        : this.#end(key, undefined),
    );
    if (finishReason.raw === DONE_REASON && this.#hasIncompleteCall) throw incompleteCall();
    this.#isComplete = true;
    const details = detailsOf(providerMetadata);
    if (details) this.#keepDetails(signatureOf(details));
    const content = [...this.#done].sort(([a], [b]) => a - b).map(([, block]) => block);
    const message: Omit<AssistantMessage, "id"> = {
      role: "assistant",
      provider: this.#options.provider,
      model: this.#model,
      content,
      stopReason: withCalls(stopReason, content),
      usage: this.#withSearches(readUsage(usage)),
    };
    const notice = message.stopReason === "other" ? [unknownNotice(finishReason)] : NONE;
    return [...held, ...misread, ...late, ...notice, { type: "done", message }];
  }

  /** Hands on what was found. @returns the usage with the number of searches. */
  #withSearches(usage: Usage): Usage {
    const { search } = this.#options;
    if (!search) return usage;
    const report = search.reader.report();
    const webSearches = usage.webSearches ?? report.searches;
    search.found({ ...report, searches: webSearches });
    return webSearches > 0 ? { ...usage, webSearches } : usage;
  }

  /** The details that a router expects back are attached to the last thinking block, or to an empty block if the router hides its thinking. */
  #keepDetails(signature: string): void {
    const last = [...this.#done].findLast(([, { type }]) => type === "thinking");
    const [index, block] = last ?? [-1, undefined];
    this.#done.set(index, { type: "thinking", thinking: block?.type === "thinking" ? block.thinking : "", signature });
  }
}

type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** Gemini does not forward a call that it could not parse; it describes the call as text, `Malformed function call: Read({"a"})`. */
function brokenCall(
  { raw }: LanguageModelV4FinishReason,
  metadata: SharedV4ProviderMetadata | undefined,
): { readonly name: string; readonly json: string } | undefined {
  if (raw !== "MALFORMED_FUNCTION_CALL") return undefined;
  const words = Object.values(metadata ?? {}).map((fields) => fields["finishMessage"]);
  const text = words.find((word) => typeof word === "string") ?? "";
  const call = BROKEN_CALL.exec(text);
  return call?.groups?.["name"] === undefined
    ? undefined
    : { name: call.groups["name"], json: call.groups["input"]?.replace(/\)\s*$/, "") ?? "" };
}

/** Undefined for an empty block. */
function wordsBlock({ kind, parts }: OpenBlock, signature: string): AssistantBlock | undefined {
  const text = parts.join("");
  if (kind === "thinking")
    return text === "" && signature === "" ? undefined : { type: "thinking", thinking: text, signature };
  if (text === "") return undefined;
  return signature === "" ? { type: "text", text } : { type: "text", text, signature };
}

function callBlock({ callId, toolName, metadata }: OpenBlock, json: string): ToolUseBlock {
  const signature = signatureOf(metadata);
  return {
    type: "tool_use",
    id: callId,
    name: toolName,
    ...parseToolInput(json),
    ...(signature !== "" && { signature }),
  };
}

/** The vendor's package knows only the words of its own API. */
function toldReason({ unified, raw }: LanguageModelV4FinishReason): StopReason | "broken" {
  const told = STOP_REASONS[unified] ?? "other";
  if (told !== "other" || raw === undefined) return told;
  return raw === DONE_REASON ? "end_turn" : (stopReasonOf(raw) ?? "other");
}

function unknownNotice({ raw = "" }: LanguageModelV4FinishReason): ProviderEvent {
  return { type: "notice", message: unknownEnd(raw) };
}

function incompleteCall(): BrokenStreamError {
  return new BrokenStreamError("The stream ended before the input of a call was complete.", undefined, {
    fault: "incomplete",
  });
}

/** Some servers send `stop` after calls that should run. */
function withCalls(stopReason: StopReason, content: readonly AssistantBlock[]): StopReason {
  const hasCalls = content.some(({ type }) => type === "tool_use");
  return hasCalls && (stopReason === "end_turn" || stopReason === "other") ? "tool_use" : stopReason;
}

function brokenWords({ unified, raw }: LanguageModelV4FinishReason): string {
  if (unified === "interrupted" || !raw) return "The stream ended before the message was complete.";
  return `The model's answer was interrupted (${raw}).`;
}

/** Vendors add dates to model names. If the answer's name is only more specific, the requested name is kept. */
function answeringModel(asked: string, told: string): string {
  return told.toLowerCase().startsWith(asked.toLowerCase()) ? asked : told;
}
