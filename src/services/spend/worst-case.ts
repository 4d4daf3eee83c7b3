import type { ModelCatalog } from "../../contracts/ports.ts";
import type { PlannedSpend } from "../../contracts/spend.ts";

/** What a request costs at worst, as a line over the length of its answer. US dollars. */
export type WorstCase = { readonly inputUsd: number; readonly usdPerOutputToken: number };

type Request = Pick<PlannedSpend, "model" | "inputTokens" | "maxOutputTokens">;

/**
 * The price of a request of which nothing comes from the cache: its input at the full price, or at that of writing it to the
 * cache where that is higher. Undefined when the model's price is not known.
 */
export async function worstCase(catalog: Pick<ModelCatalog, "cost">, request: Request): Promise<WorstCase | undefined> {
  const { model, inputTokens, maxOutputTokens } = request;
  const usage = { inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
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
