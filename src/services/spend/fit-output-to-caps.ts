import type { PlannedSpend } from "../../contracts/spend.ts";
import type { OverCap } from "./describe-cap.ts";
import type { WorstCase } from "./worst-case.ts";

/** Corrects a quotient that should be a whole number but is slightly smaller. */
const ROUNDING_TOKENS = 1e-6;

/**
 * The same request with a shorter answer that fits the caps; undefined if the answer would be too short to be useful.
 * @param over The caps that the original request exceeds.
 */
export function fitOutputToCaps(
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
