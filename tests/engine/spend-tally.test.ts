import { expect, test } from "bun:test";
import type { Charge } from "../../src/contracts/spend.ts";
import { SpendTally } from "../../src/engine/spend-tally.ts";

const charge = (model: string, usd: number | undefined, more: Partial<Charge> = {}): Charge => ({
  source: "main",
  model,
  usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  usd,
  ...more,
});

function tallyOf(...charges: readonly Charge[]) {
  const tally = new SpendTally();
  for (const each of charges) tally.add(each);
  return tally.spent;
}

test("a tally sums by model and by source", () => {
  const { usage, costUsd, usageByModel, bySource } = tallyOf(
    charge("a", 5),
    charge("a", 1, { source: "judge" }),
    charge("b", 1),
  );
  expect([usage.inputTokens, costUsd, usageByModel["a"]?.costUsd, usageByModel["b"]?.usage.inputTokens]).toEqual([
    30, 7, 6, 10,
  ]);
  expect(bySource).toEqual([
    { source: "main", usd: 6, tokens: 22 },
    { source: "judge", usd: 1, tokens: 11 },
  ]);
});

test("a sum with an unknown price is unknown, never a smaller number", () => {
  const { costUsd, usageByModel, bySource } = tallyOf(charge("a", undefined), charge("b", 1));
  expect([costUsd, usageByModel["a"]?.costUsd, usageByModel["b"]?.costUsd]).toEqual([undefined, undefined, 1]);
  expect(bySource).toEqual([{ source: "main", usd: 1, tokens: 22, isUnpriced: true }]);
});

test("one estimate marks every sum that holds it", () => {
  const estimated = { ...charge("a", 1).usage, estimated: true } as const;
  const { usage, usageByModel, bySource } = tallyOf(
    charge("a", 1, { usage: estimated }),
    charge("b", 1, { source: "judge" }),
  );
  expect([usage.estimated, usageByModel["a"]?.usage.estimated, usageByModel["b"]?.usage.estimated]).toEqual([
    true,
    true,
    undefined,
  ]);
  expect(bySource.map(({ isEstimate }) => isEstimate)).toEqual([true, undefined]);
});

test("nothing used costs nothing", () => {
  expect(tallyOf()).toMatchObject({ costUsd: 0, usageByModel: {}, bySource: [] });
});
