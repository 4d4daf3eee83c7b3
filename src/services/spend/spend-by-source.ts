import { totalInputTokens, type Usage } from "../../contracts/message.ts";
import type { SpendSource } from "../../contracts/spend.ts";

/** Money and tokens together. */
export type Amount = {
  /** US dollars. */
  readonly usd: number;
  readonly tokens: number;
};

export const ZERO_AMOUNT: Amount = { usd: 0, tokens: 0 };

export function addAmounts(a: Amount, b: Amount): Amount {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens };
}

/** All tokens of a request: input (including cache) and output. */
export function tokensOf(usage: Usage): number {
  return totalInputTokens(usage) + usage.outputTokens;
}

/** The spending by source. */
export class SpendBySource {
  readonly #bySource = new Map<SpendSource, Amount>();

  add(source: SpendSource, amount: Amount): void {
    this.#bySource.set(source, addAmounts(this.#bySource.get(source) ?? ZERO_AMOUNT, amount));
  }

  /** The sum of one source, or of all. */
  of(source: SpendSource | undefined): Amount {
    if (source !== undefined) return this.#bySource.get(source) ?? ZERO_AMOUNT;
    return [...this.#bySource.values()].reduce(addAmounts, ZERO_AMOUNT);
  }
}
