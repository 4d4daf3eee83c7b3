import type { PlannedSpend } from "../../contracts/spend.ts";
import type { OverCap } from "./cap-words.ts";
import type { WorstCase } from "./worst-case.ts";

/** A quotient that is a whole number may come out a little below it. */
const ROUNDING_TOKENS = 1e-6;

/**
 * The same request with an answer so short that it fits under the caps; undefined where that would be shorter than is of use.
 * @param over The caps that it doesn't fit under as it is.
 */
export function shorterAnswer(
  plan: PlannedSpend,
  price: WorstCase | undefined,
  over: readonly OverCap[],
): PlannedSpend | undefined {
  const { minOutputTokens, inputTokens } = plan;
  if (minOutputTokens === undefined) return undefined;
  const fits = over.map(({ cap, limit, spent, held }) => {
    const left = limit - spent - held;
    if (cap.unit === "tokens") return left - inputTokens;
    if (!price) return 0;
    const forAnswer = left - price.inputUsd;
    return price.usdPerOutputToken === 0
      ? forAnswer >= 0
        ? plan.maxOutputTokens
        : 0
      : forAnswer / price.usdPerOutputToken;
  });
  const maxOutputTokens = Math.min(plan.maxOutputTokens, Math.floor(Math.min(...fits) + ROUNDING_TOKENS));
  return maxOutputTokens >= minOutputTokens && maxOutputTokens > 0 ? { ...plan, maxOutputTokens } : undefined;
}
