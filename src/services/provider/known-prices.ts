import data from "./known-prices.json" with { type: "json" };
import type { PriceRow } from "./model-rows.ts";

const PRICES = data as Readonly<Record<string, readonly PriceRow[]>>;

/**
 * What the price package says of the models of our tables, taken from it when the docs are made: the package is half a
 * megabyte, and loading it in the middle of a first round takes 10 ms.
 * @param provider as the package names it. @param name a model's bare name.
 */
export function knownPrice(provider: string, name: string): readonly PriceRow[] | undefined {
  const key = `${provider}/${name}`;
  return Object.hasOwn(PRICES, key) ? PRICES[key] : undefined;
}
