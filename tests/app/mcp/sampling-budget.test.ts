import { expect, test } from "bun:test";
import { SamplingBudgets } from "../../../src/app/mcp/sampling-budget.ts";

const size = (inputTokens: number) => ({ inputTokens, maxTokens: 1_000 });

test("a budget covers requests up to its limits, also requests at the same time, and counts the tokens that were used", () => {
  const budgets = new SamplingBudgets();
  expect([budgets.has("shop"), budgets.covers("shop", size(1))]).toEqual([false, false]);
  budgets.open("shop");
  expect([20_000, 20_001].map((tokens) => budgets.covers("shop", size(tokens)))).toEqual([true, false]);
  const settles = Array.from({ length: 4 }, () => budgets.hold("shop", size(20_000)));
  expect([15_000, 15_001].map((tokens) => budgets.covers("shop", size(tokens)))).toEqual([true, false]);
  for (const settle of settles) settle(20_500);
  expect([17_000, 17_001].map((tokens) => budgets.covers("shop", size(tokens)))).toEqual([true, false]);
  expect(budgets.covers("other", size(1))).toBe(false);
});

test("a second yes while requests run does not lift the budget above its limit", () => {
  const budgets = new SamplingBudgets();
  budgets.open("shop");
  const settles = Array.from({ length: 4 }, () => budgets.hold("shop", size(20_000)));
  budgets.open("shop");
  expect([15_000, 15_001].map((tokens) => budgets.covers("shop", size(tokens)))).toEqual([true, false]);
  for (const settle of settles) settle(0);
  for (let at = 0; at < 5; at += 1) budgets.hold("shop", size(19_000));
  expect(budgets.covers("shop", size(1))).toBe(false);
});
