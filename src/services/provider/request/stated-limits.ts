import type { ProviderRequest } from "../../../contracts/provider.ts";
import { sentTokens } from "./attempt-usage.ts";
import { field } from "./error-body.ts";

/** The limits in tokens that a refusal states; undefined for a limit that it does not state. */
export type StatedLimits = {
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** The token numbers of the refused request; at least the limit, if the refusal is about the prompt alone. */
  readonly inputTokens?: number;
};

const N = "`?([\\d,]+)`?";
const WINDOW: readonly RegExp[] = [
  // OpenAI, DeepSeek, OpenRouter, vLLM; Mistral and Fireworks put the number on either side
  new RegExp(`maximum (?:context|model) length(?: is| of|:) ${N}`, "i"),
  new RegExp(`${N} maximum context length`, "i"),
  // llama.cpp
  new RegExp(`available context size \\(${N}`, "i"),
  // Anthropic: `188240 + 21333 > 200000`, `210000 tokens > 200000 maximum`
  new RegExp(`context limit: [\\d,]+ \\+ [\\d,]+ > ${N}`, "i"),
  new RegExp(`prompt is too long: [\\d,]+ tokens > ${N}`, "i"),
  // Text Generation Inference, Together
  new RegExp(`max_new_tokens\\W+must be <= ${N}`, "i"),
  new RegExp(`longer than the model'?s context length \\(${N}`, "i"),
  // LM Studio, Ollama
  new RegExp(`context (?:length|window|size) (?:of|is) (?:only )?${N}`, "i"),
  // Kimi, GitHub Copilot
  new RegExp(`model token limit: ${N}`, "i"),
  new RegExp(`prompt token count of [\\d,]+ exceeds the limit of ${N}`, "i"),
  // SGLang, Volcengine, Siliconflow
  new RegExp(`input length\\D{1,3}[\\d,]+\\D{0,10}exceeds the maximum (?:allowed )?length\\D{1,3}${N}`, "i"),
  new RegExp(`less than max_seq_len \\(${N}`, "i"),
];
/** Limits of the prompt alone: a shorter answer does not help. */
const PROMPT: readonly RegExp[] = [
  // OpenAI, NVIDIA
  new RegExp(`configured limit of ${N} tokens`, "i"),
  new RegExp(`exceeds maximum input length \\(${N}`, "i"),
  // Qwen
  new RegExp(`range of input length should be \\[\\d+, ?${N}\\]`, "i"),
  // Google, xAI
  new RegExp(`maximum number of tokens allowed \\(${N}`, "i"),
  new RegExp(`maximum prompt length is ${N}`, "i"),
];
const OUTPUT: readonly RegExp[] = [
  // OpenAI
  new RegExp(`supports at most ${N} (?:completion|output) tokens`, "i"),
  // DeepSeek, Qwen
  new RegExp(`range of max_tokens (?:is|should be) \\[\\d+, ?${N}\\]`, "i"),
  // Groq, FastAPI, and others in their own words
  new RegExp(
    `(?<!\\+ .?)max_(?:completion_|output_|new_)?tokens\\W.{0,40}?(?:less than or equal to|<=|≤|at most|no more than|limit of|maximum of|between 1 and) ?${N}`,
    "i",
  ),
  // Anthropic
  new RegExp(`max_tokens: [\\d,]+ > ${N}, which is the maximum`, "i"),
];
const INPUT: readonly RegExp[] = [
  new RegExp(`\\(${N} in the messages`, "i"),
  new RegExp(`your request has ${N} input tokens`, "i"),
  new RegExp(`context limit: ${N} \\+`, "i"),
  new RegExp(`Given: ${N}.{0,4}inputs`, "i"),
  new RegExp(`\\(requested: ${N}\\)`, "i"),
  new RegExp(`prompt is too long: ${N} tokens`, "i"),
  new RegExp(`prompt token count of ${N}`, "i"),
  new RegExp(`input(?: length|s)? \\(${N} tokens\\) (?:is longer|exceeds)`, "i"),
  new RegExp(`input token count \\(${N}\\) exceeds`, "i"),
];
/** A margin for Quoll's own estimate, which may be too low. */
const ESTIMATE_SLACK = 1.15;
/** A shorter answer than this is useless. */
const MIN_OUTPUT_TOKENS = 64;

/**
 * The limits in a refusal with status 400. Sources: the refusals of the servers named next to the patterns, from their
 * documentation and user reports.
 * @param body parsed JSON, or a text.
 * @param words The error's type, code and message.
 */
export function statedLimits(body: unknown, words: string): StatedLimits | undefined {
  const promptLimit = numberIn(PROMPT, words);
  const contextWindow = promptLimit ?? numberIn(WINDOW, words) ?? positive(field(field(body, "error"), "n_ctx"));
  const maxOutputTokens = numberIn(OUTPUT, words);
  if (contextWindow === undefined && maxOutputTokens === undefined) return undefined;
  const inputTokens = numberIn(INPUT, words) ?? positive(field(field(body, "error"), "n_prompt_tokens")) ?? promptLimit;
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(inputTokens !== undefined && { inputTokens }),
  };
}

/** The request with a shorter answer that fits these limits; undefined if only a shorter prompt could help. */
export function withinLimits(request: ProviderRequest, limits: StatedLimits): ProviderRequest | undefined {
  const { contextWindow = Number.POSITIVE_INFINITY, maxOutputTokens = Number.POSITIVE_INFINITY, inputTokens } = limits;
  const input = inputTokens ?? Math.ceil(sentTokens(request) * ESTIMATE_SLACK);
  const maxTokens = Math.min(maxOutputTokens, contextWindow - input);
  return maxTokens >= MIN_OUTPUT_TOKENS && maxTokens < request.maxTokens ? { ...request, maxTokens } : undefined;
}

function numberIn(patterns: readonly RegExp[], words: string): number | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(words)?.[1];
    if (found !== undefined) return positive(Number(found.replaceAll(",", "")));
  }
  return undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}
