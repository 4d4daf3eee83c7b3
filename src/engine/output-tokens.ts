import type { ModelCapabilities } from "../contracts/provider.ts";
import { WANTED_OUTPUT_TOKENS } from "../contracts/window-limits.ts";

/** The share of the window that is kept free, in case the estimate is too low. */
const WINDOW_MARGIN = 0.02;

export type WantedOutput = {
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
