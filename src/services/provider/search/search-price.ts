import { SEARCH_MODEL_PREFIX } from "../../../contracts/search-services.ts";
import { bareName } from "../model-reference.ts";
import { vendorOfModel } from "../vendors.ts";
import data from "./search-prices.json" with { type: "json" };

type Price = {
  /** A regular expression for the models that it holds for; the first that fits counts. */
  readonly models: string;
  /** US dollars for a thousand searches, from the price lists of the vendors. */
  readonly usdPerThousand: number;
};

const PRICES: Readonly<Record<string, readonly Price[]>> = data;

/** True for the name under which searches of a service are counted, such as `search/brave`. */
export function isService(model: string): boolean {
  return model.startsWith(SEARCH_MODEL_PREFIX);
}

/**
 * US dollars for searches besides the tokens.
 * @param provider undefined if it is not known: the maker of the model then counts.
 * @returns undefined if the price is unknown.
 */
export function searchCost(model: string, provider: string | undefined, searches: number): number | undefined {
  const seller = isService(model) ? model : (provider ?? vendorOfModel(bareName(model)) ?? "");
  const prices = Object.hasOwn(PRICES, seller) ? PRICES[seller] : undefined;
  const price = prices?.find(({ models }) => new RegExp(models).test(bareName(model)));
  return price && (price.usdPerThousand / 1000) * searches;
}
