import { pricesOf } from "../../src/services/provider/catalog.ts";
import { bareName } from "../../src/services/provider/model-reference.ts";
import { MODEL_IDS, rowOf } from "../../src/services/provider/model-rows.ts";
import { packagedRows } from "../../src/services/provider/price-package.ts";
import { VENDOR_NAMES, vendorOf } from "../../src/services/provider/vendors.ts";

/** `known-prices.json`: the price package's prices of the models that our tables name without a price. */
export function knownPricesText(): string {
  const own = MODEL_IDS.filter((id) => rowOf(id)?.price === undefined).map(
    (id) => [id, pricesOf(id, undefined)] as const,
  );
  const vendors = VENDOR_NAMES.flatMap((name) => {
    const { prices, aliases = {} } = vendorOf(name) ?? {};
    return prices === undefined ? [] : Object.values(aliases).map((id) => [id, prices] as const);
  });
  const rows = [...own, ...vendors].flatMap(([id, source]) => {
    const name = bareName(id);
    const known = packagedRows(name, source);
    return known ? [[`${source}/${name}`, known] as const] : [];
  });
  const sorted = [...new Map(rows)].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}
