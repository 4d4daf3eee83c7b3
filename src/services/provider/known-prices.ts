import data from "./known-prices.json" with { type: "json" };
import type { PriceRow } from "./model-rows.ts";

const PRICES = data as Readonly<Record<string, readonly PriceRow[]>>;

/**
 * The price package's data for the models in our tables, extracted when the docs are generated. The package is half a
 * megabyte, and loading it during the first round takes 10 ms.
 * @param provider in the package's spelling. @param name a model's bare name.
 */
export function knownPrice(provider: string, name: string): readonly PriceRow[] | undefined {
  const key = `${provider}/${name}`;
  return Object.hasOwn(PRICES, key) ? PRICES[key] : undefined;
}
