import type { StopReason } from "../../scenario.ts";
import { isObject } from "../../shape.ts";
import { allInputTokens, type RenderedBlock, type RenderedReply } from "../openai/render.ts";
import { groundingOf } from "./grounding.ts";
import type { GeminiOptions, RefusalReason } from "./options.ts";
import type { FunctionCall, Part } from "./request.ts";
import { callText, sign } from "./sent-signatures.ts";

/**
 * Gemini has no separate reason for a call, a stop sequence or a pause in a turn, so these are reported as `STOP`. A
 * full window is reported as `MAX_TOKENS`.
 */
const FINISH_REASONS: Readonly<Record<Exclude<StopReason, "refusal">, string>> = {
  end_turn: "STOP",
  tool_use: "STOP",
  stop_sequence: "STOP",
  pause_turn: "STOP",
  max_tokens: "MAX_TOKENS",
  model_context_window_exceeded: "MAX_TOKENS",
};
const CUT_SHORT: readonly StopReason[] = ["max_tokens", "model_context_window_exceeded"];

/** Reasons for which the API refuses to answer a prompt at all. */
const BLOCK_REASONS: readonly RefusalReason[] = ["SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "OTHER"];

/** A reply in the form of this wire. */
export type GeminiReply = {
  readonly model: string;
  readonly responseId: string;
  /**
   * In order; a call's part is whole, text may be sent in pieces. The parts without the content that Gemini can't
   * express.
   */
  readonly parts: readonly Part[];
  /** The signature of the answer's text, in a separate part at the end; undefined if a call carries one. */
  readonly endSignature?: string | undefined;
  readonly finishReason: string;
  readonly finishMessage?: string | undefined;
  /** The reason why the prompt is not answered; the response then has no candidate. */
  readonly blockReason?: string | undefined;
  readonly usage: RenderedReply["usage"];
  /** The pages that the search found, in the last chunk. */
  readonly grounding?: object | undefined;
};

type RenderSettings = {
  readonly options: GeminiOptions;
  /** True if the request asks for thoughts; else they are only counted. */
  readonly includeThoughts: boolean;
  /** True if the request lets the model search. */
  readonly isSearching: boolean;
};

type CallBlock = Extract<RenderedBlock, { type: "call" }>;
const isCall = (block: RenderedBlock): block is CallBlock => block.type === "call";

/** The arguments of a call, empty by default; undefined if the model's JSON is broken. */
function argsOf({ arguments: json }: CallBlock): FunctionCall["args"] | undefined {
  try {
    const args: unknown = JSON.parse(json === "" ? "{}" : json);
    return isObject(args) ? args : undefined;
  } catch {
    return undefined;
  }
}

/** The signature in the scenario, from the last thought before `end`. */
function givenSignature(blocks: readonly RenderedBlock[], end: number): string | undefined {
  for (const block of blocks.slice(0, end).toReversed()) {
    if (block.type === "redacted_thinking") return block.data;
    if (block.type === "thinking" && block.signature !== undefined) return block.signature;
  }
  return undefined;
}

/** The parts of an answer. Only the first of several parallel calls carries a signature, as in the API. */
function partsOf(blocks: readonly RenderedBlock[], { includeThoughts }: RenderSettings): readonly Part[] {
  const first = blocks.findIndex(isCall);
  return blocks.flatMap((block, index): readonly Part[] => {
    if (block.type === "text") return block.text === "" ? [] : [{ text: block.text }];
    if (block.type === "thinking")
      return includeThoughts && block.thinking !== "" ? [{ text: block.thinking, thought: true }] : [];
    if (block.type === "redacted_thinking") return [];
    const args = argsOf(block) ?? {};
    const call = { ...(block.id !== "" && { id: block.id }), name: block.name, args };
    if (index !== first) return [{ functionCall: call }];
    return [{ functionCall: call, thoughtSignature: givenSignature(blocks, index) ?? sign(callText(call)) }];
  });
}

/** An answer with thoughts and without calls ends in their signature. */
function endSignatureOf(blocks: readonly RenderedBlock[]): string | undefined {
  if (blocks.some(isCall)) return undefined;
  const thoughts = blocks.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
  const given = givenSignature(blocks, blocks.length);
  return given ?? (thoughts.length > 0 ? sign(thoughts.join("")) : undefined);
}

/** Calls whose JSON is broken are not sent, nor are those beside them: the API says that the call was malformed, or that the answer was cut short. */
export function renderGemini(reply: RenderedReply, responseId: string, settings: RenderSettings): GeminiReply {
  const { stopReason, usage, model } = reply;
  const broken = reply.blocks.filter(isCall).find((block) => argsOf(block) === undefined);
  const blocks = broken ? reply.blocks.filter((block) => !isCall(block)) : reply.blocks;
  const grounding = settings.isSearching && reply.search ? groundingOf(reply.search, textOfBlocks(blocks)) : undefined;
  const common = { model, responseId, usage, grounding, endSignature: endSignatureOf(blocks) };
  if (stopReason === "refusal") {
    const { refusals = "SAFETY" } = settings.options;
    const isBlocked = reply.blocks.length === 0 && BLOCK_REASONS.includes(refusals);
    const parts = partsOf(blocks, settings);
    return { ...common, parts, finishReason: refusals, ...(isBlocked && { blockReason: refusals }) };
  }
  const parts = partsOf(blocks, settings);
  if (broken && !CUT_SHORT.includes(stopReason)) {
    const finishMessage = `Malformed function call: ${broken.name}(${broken.arguments})`;
    return { ...common, parts, finishReason: "MALFORMED_FUNCTION_CALL", finishMessage };
  }
  return { ...common, parts, finishReason: FINISH_REASONS[stopReason] };
}

const textOfBlocks = (blocks: readonly RenderedBlock[]) =>
  blocks.map((block) => (block.type === "text" ? block.text : "")).join("");

const modalities = (tokenCount: number) => [{ modality: "TEXT", tokenCount }];

/**
 * The usage in the API's form. The prompt's count includes cached tokens; thoughts are counted separately from the
 * answer.
 */
export function wireUsage(usage: GeminiReply["usage"], isFinal = true) {
  const prompt = allInputTokens(usage);
  const cached = usage.cacheReadTokens > 0 ? { cachedContentTokenCount: usage.cacheReadTokens } : {};
  const counts = { promptTokenCount: prompt, promptTokensDetails: modalities(prompt), ...cached };
  if (!isFinal) return { ...counts, totalTokenCount: prompt };
  const { outputTokens, reasoningTokens } = usage;
  return {
    ...counts,
    candidatesTokenCount: outputTokens - reasoningTokens,
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: prompt + outputTokens,
  };
}

/** The fields of every chunk and every whole answer. */
export const envelope = ({ model, responseId, usage }: GeminiReply, isFinal: boolean) => ({
  usageMetadata: wireUsage(usage, isFinal),
  modelVersion: model,
  responseId,
});

const blockedRating = (reason: string) =>
  reason === "SAFETY"
    ? { safetyRatings: [{ category: "HARM_CATEGORY_DANGEROUS_CONTENT", probability: "HIGH", blocked: true }] }
    : {};

/** The end of a candidate. */
export const ending = ({ finishReason, finishMessage, grounding }: GeminiReply) => ({
  finishReason,
  ...(grounding && { groundingMetadata: grounding }),
  ...(finishMessage !== undefined && { finishMessage }),
  ...blockedRating(finishReason),
});

export const promptFeedback = (blockReason: string) => ({
  promptFeedback: { blockReason, ...blockedRating(blockReason) },
});

/** The answer as a whole. */
export function wireResponse(reply: GeminiReply) {
  const { parts, endSignature, blockReason } = reply;
  if (blockReason !== undefined) return { ...promptFeedback(blockReason), ...envelope(reply, true) };
  const signed = endSignature === undefined ? [] : [{ text: "", thoughtSignature: endSignature }];
  const all = [...parts, ...signed];
  const content = { ...(all.length > 0 && { parts: all }), role: "model" };
  return { candidates: [{ content, ...ending(reply), index: 0 }], ...envelope(reply, true) };
}
