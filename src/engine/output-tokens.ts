import type { ModelCapabilities } from "../contracts/provider.ts";
import { WANTED_OUTPUT_TOKENS } from "../contracts/window-limits.ts";

/** Tokens kept free, in case the estimate is too low. */
const WINDOW_MARGIN = 0.02;

export type WantedOutput = {
  /** True to request the model's maximum instead of the usual limit, which nearly every answer fits. */
  readonly wantsLargest?: boolean;
  /** The part of the answer that thinking may use, besides the text. */
  readonly thinkingTokens?: number;
};

/** Output tokens to ask for; 0 or less when the window is full. */
export function outputTokensFor(
  inputTokens: number,
  model: ModelCapabilities,
  { wantsLargest = false, thinkingTokens = 0 }: WantedOutput = {},
): number {
  const usual = Math.min(model.maxOutputTokens, WANTED_OUTPUT_TOKENS + thinkingTokens);
  const wanted = wantsLargest ? model.maxOutputTokens : usual;
  return Math.min(wanted, Math.floor(model.contextWindow * (1 - WINDOW_MARGIN)) - inputTokens);
}
