import type { ModelCatalog } from "../../contracts/ports.ts";
import type { PlannedSpend } from "../../contracts/spend.ts";
import type { OverCap } from "./describe-cap.ts";
import type { Amount } from "./spend-by-source.ts";

/** The worst case of a request in US dollars, as a linear function of the answer's length. */
export type WorstCase = { readonly inputUsd: number; readonly usdPerOutputToken: number };

type Request = Pick<PlannedSpend, "model" | "inputTokens" | "maxOutputTokens" | "webSearches">;

/**
 * The price of a request without cache hits: its input at the full price, or at the price of a cache write,
 * if that is higher. Undefined if the model's price is unknown.
 */
export async function worstCase(catalog: Pick<ModelCatalog, "cost">, request: Request): Promise<WorstCase | undefined> {
  const { model, inputTokens, maxOutputTokens, webSearches } = request;
  const searches = webSearches === undefined ? {} : { webSearches };
  const usage = { inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, ...searches };
  const [fresh, cached, whole] = await Promise.all([
    catalog.cost(model, usage),
    catalog.cost(model, { ...usage, inputTokens: 0, cacheWriteTokens: inputTokens }),
    catalog.cost(model, { ...usage, outputTokens: maxOutputTokens }),
  ]);
  if (fresh === undefined || whole === undefined) return undefined;
  const usdPerOutputToken = maxOutputTokens === 0 ? 0 : Math.max(0, whole - fresh) / maxOutputTokens;
  return { inputUsd: Math.max(fresh, cached ?? 0), usdPerOutputToken };
}

export function worstUsd({ inputUsd, usdPerOutputToken }: WorstCase, outputTokens: number): number {
  return inputUsd + usdPerOutputToken * outputTokens;
}

/** The most that a request may take, in both units. */
export function needOf(plan: PlannedSpend, price: WorstCase | undefined): Amount {
  return { usd: price ? worstUsd(price, plan.maxOutputTokens) : 0, tokens: plan.inputTokens + plan.maxOutputTokens };
}

/** The amount that the shortest useful answer needs. */
export function leastOf(plan: PlannedSpend, price: WorstCase | undefined): Amount {
  const { minOutputTokens = plan.maxOutputTokens } = plan;
  return needOf({ ...plan, maxOutputTokens: Math.min(minOutputTokens, plan.maxOutputTokens) }, price);
}

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
