import type { ModelCatalog } from "../contracts/ports.ts";
import type { ModelCapabilities, Thinking } from "../contracts/provider.ts";
import {
  WANTED_OUTPUT_TOKENS,
  type WindowLimits,
  type WindowSettings,
  windowLimits,
} from "../contracts/window-limits.ts";
import type { Conversation } from "./conversation.ts";
import type { ModelTools } from "./model-tools.ts";

export type SizeDeps = {
  readonly conversation: Conversation;
  readonly tools: ModelTools;
  readonly catalog: ModelCatalog;
  /** The user's settings that change the defaults for the context window. */
  readonly windowSettings?: WindowSettings | undefined;
};

export type SizedRequest = {
  readonly model: string;
  readonly system: string;
  readonly thinking: Thinking | undefined;
  /** True to request the model's maximum answer length instead of the usual length. */
  readonly wantsLargest: boolean;
};

/** Input tokens of the conversation's next request, estimated. */
export function inputSize(system: string, { conversation, tools }: Pick<SizeDeps, "conversation" | "tools">): number {
  return conversation.tokens.inputTokens(system.length + tools.declarationChars);
}

/** Tokens of the conversation's next request beside its messages: the system prompt and the tools. */
export function besideSize(system: string, { conversation, tools }: SizeDeps): number {
  return conversation.tokens.besideTokens(system.length + tools.declarationChars);
}

/** How much of a model's window the conversation may use. */
export function limitsOf(model: string, { catalog, windowSettings }: SizeDeps): WindowLimits {
  return windowLimits(catalog.capabilities(model), windowSettings);
}

/** The maximum number of input and output tokens for a request. */
export function requestSize(
  { model, system, wantsLargest, thinking }: SizedRequest,
  deps: SizeDeps,
): { readonly inputTokens: number; readonly maxTokens: number } {
  const inputTokens = inputSize(system, deps);
  const capabilities = deps.catalog.capabilities(model);
  const hasBudget = typeof thinking === "number" && capabilities.thinkingStyle === "budget";
  const wanted = { wantsLargest, thinkingTokens: hasBudget ? thinking : 0 };
  return { inputTokens, maxTokens: outputTokensFor(inputTokens, capabilities, wanted) };
}

/** The share of the window that is kept free, in case the estimate is too low. */
const WINDOW_MARGIN = 0.02;

type WantedOutput = {
  /** True to request the model's maximum instead of the usual limit, which is enough for nearly every answer. */
  readonly wantsLargest?: boolean;
  /** The part of the answer that thinking may use, in addition to the text. */
  readonly thinkingTokens?: number;
};

/** The number of output tokens to request; 0 or less if the window is full. */
export function outputTokensFor(
  inputTokens: number,
  model: ModelCapabilities,
  { wantsLargest = false, thinkingTokens = 0 }: WantedOutput = {},
): number {
  const usual = Math.min(model.maxOutputTokens, WANTED_OUTPUT_TOKENS + thinkingTokens);
  const wanted = wantsLargest ? model.maxOutputTokens : usual;
  return Math.min(wanted, Math.floor(model.contextWindow * (1 - WINDOW_MARGIN)) - inputTokens);
}
