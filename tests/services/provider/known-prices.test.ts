import { expect, test } from "bun:test";
import { seededRandom } from "@quoll/model-twin/byte-cuts";
import { priceByRows } from "../../../src/services/provider/catalog.ts";
import data from "../../../src/services/provider/known-prices.json" with { type: "json" };
import { knownPrice } from "../../../src/services/provider/known-prices.ts";
import { packagedPrice, packagedRows } from "../../../src/services/provider/price-package.ts";

const DRAWS = 40;

test.each(Object.keys(data))("%s costs what the price package says, whatever was used", (key) => {
  const [provider = "", ...rest] = key.split("/");
  const name = rest.join("/");
  const rows = knownPrice(provider, name)!;
  const random = seededRandom(key.length);
  const tokens = () => Math.floor(random() ** 4 * 900_000);
  const edges = [0, 1, 199_999, 200_000, 200_001, 271_999, 272_000, 272_001].map((inputTokens) => ({
    inputTokens,
    outputTokens: 1_000,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  }));
  const drawn = Array.from({ length: DRAWS }, () => ({
    inputTokens: tokens(),
    outputTokens: tokens(),
    cacheReadTokens: tokens(),
    cacheWriteTokens: tokens(),
  }));
  for (const usage of [...edges, ...drawn])
    expect(priceByRows(rows, usage)).toBeCloseTo(packagedPrice(name, provider, usage) ?? Number.NaN, 9);
});

test("models that the package does not know, or prices by the hour, have no rows", () => {
  expect(packagedRows("no-such-model", "anthropic")).toBeUndefined();
  expect(packagedRows("deepseek-chat", "deepseek")).toBeUndefined();
  expect(knownPrice("anthropic", "toString")).toBeUndefined();
});
