import type { ModelCapabilities } from "../contracts/provider.ts";
import { WANTED_OUTPUT_TOKENS } from "../contracts/window-limits.ts";

/** Kept free of what the estimate may have missed. */
const WINDOW_MARGIN = 0.02;

export type WantedOutput = {
  /** As much as the model can give at once, instead of what nearly every answer fits in. */
  readonly wantsLargest?: boolean;
  /** What thinking may take of the answer, beside its words. */
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
