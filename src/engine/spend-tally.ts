import type { TurnReport } from "../contracts/event.ts";
import { addUsage, NO_USAGE, totalInputTokens, type Usage } from "../contracts/message.ts";
import type { Charge, SourceSpend, SpendSource } from "../contracts/spend.ts";

type Share = { readonly usage: Usage; readonly costUsd: number | undefined };
type Spent = Pick<TurnReport, "usage" | "costUsd" | "usageByModel"> & { readonly bySource: readonly SourceSpend[] };

const NOTHING: Share = { usage: NO_USAGE, costUsd: 0 };

/** Sums what a turn, or a session, has spent: the requests that the spend guard counts, and no others. */
export class SpendTally {
  readonly #byModel = new Map<string, Share>();
  readonly #bySource = new Map<SpendSource, SourceSpend>();

  add({ model, source, usage, usd }: Charge): void {
    const share = this.#byModel.get(model) ?? NOTHING;
    this.#byModel.set(model, { usage: addUsage(share.usage, usage), costUsd: addCost(share.costUsd, usd) });
    const before = this.#bySource.get(source) ?? { source, usd: 0, tokens: 0 };
    this.#bySource.set(source, {
      ...before,
      usd: before.usd + (usd ?? 0),
      tokens: before.tokens + totalInputTokens(usage) + usage.outputTokens,
      ...(usd === undefined && { isUnpriced: true }),
      ...(usage.estimated && { isEstimate: true }),
    });
  }

  /** `costUsd` is undefined once a request's price was unknown. */
  get spent(): Spent {
    const shares = [...this.#byModel.values()];
    return {
      usage: shares.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
      costUsd: shares.reduce<number | undefined>((sum, { costUsd }) => addCost(sum, costUsd), 0),
      usageByModel: Object.fromEntries(this.#byModel),
      bySource: [...this.#bySource.values()].filter(({ tokens }) => tokens > 0),
    };
  }
}

/** A sum with an unknown part is unknown. */
function addCost(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}
