import { expect, test } from "bun:test";
import type { Usage } from "../../../src/contracts/message.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";

const catalog = modelCatalog();
const usage = (inputTokens: number, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0): Usage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
});
const MILLION = 1_000_000;

const WHAT_MOST_CAN = { documents: true, tools: true, parallelCalls: true, efforts: [] };

test("aliases and family names are resolved, whatever their case; other names pass through", () => {
  const resolved = ["default", "fast", "best", "Haiku", " sonnet ", "opus"].map((name) => catalog.resolve(name));
  expect(resolved).toEqual([
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-opus-5-5",
    "claude-haiku-5-5",
    "claude-sonnet-5-5",
    "claude-opus-5-5",
  ]);
  expect([catalog.resolve("my-Model"), catalog.resolve("toString"), catalog.resolve("offline")]).toEqual([
    "my-Model",
    "toString",
    "offline",
  ]);
});

test("every name in the list is known, and every alias leads to a model of the list", () => {
  const names = catalog.list();
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    expect([name, catalog.capabilities(name).known]).toEqual([name, true]);
    expect(names).toContain(catalog.resolve(name));
  }
  expect(names).toContain("offline");
});

test("a model is known by its dated name and by the names that other vendors give it", () => {
  const names = [
    "claude-haiku-4-5",
    "claude-haiku-4-5-20251001",
    "anthropic/claude-haiku-4-5",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "claude-haiku-4-5@20251001",
    "claude-haiku-4-5-latest",
  ];
  for (const name of names) {
    expect([name, catalog.capabilities(name)]).toEqual([
      name,
      { ...WHAT_MOST_CAN, contextWindow: 200_000, maxOutputTokens: 64_000, images: true, thinking: true, known: true },
    ]);
  }
});

test.each(["gpt-nine", "constructor", "", "claude-haiku-9"])(
  "an unknown model (%p) gets safe capabilities, said to be guesses",
  (name) => {
    expect(catalog.capabilities(name)).toEqual({
      ...WHAT_MOST_CAN,
      contextWindow: 200_000,
      maxOutputTokens: 32_000,
      images: true,
      thinking: false,
      known: false,
    });
  },
);

test("the price of a model of the package is counted from fresh, cached and written tokens", async () => {
  expect(await catalog.cost("claude-opus-5-5", usage(MILLION, MILLION, MILLION, MILLION))).toBeCloseTo(
    4 + 20 + 0.2 + 5,
    6,
  );
  expect(await catalog.cost("claude-haiku-4-5-20251001", usage(2 * MILLION, MILLION))).toBeCloseTo(2 + 5, 6);
});

test("a newer model is not priced as its elder, and takes its price from our table", async () => {
  expect(await catalog.cost("default", usage(MILLION, MILLION, MILLION, MILLION))).toBeCloseTo(2 + 10 + 0.1 + 2.5, 6);
  expect(await catalog.cost("claude-sonnet-5", usage(0, 0, MILLION))).toBeCloseTo(0.2, 6);
});

test("a price that depends on the length of the prompt does so for the whole request", async () => {
  expect(await catalog.cost("fast", usage(100_000, 100_000))).toBeCloseTo(0.01 + 0.05, 8);
  expect(await catalog.cost("fast", usage(50_000, 100_000, 50_001))).toBeCloseTo(0.025 + 0.25 + 0.00250005, 8);
});

test("an unknown price is unknown, never nothing; offline costs nothing", async () => {
  expect(await catalog.cost("my-own-model", usage(10))).toBeUndefined();
  expect(await catalog.cost("claude-mythos-5-2", usage(10))).toBeUndefined();
  expect(await catalog.cost("claude-opus-9", usage(10))).toBeUndefined();
  expect(await catalog.cost("offline", usage(10, 10))).toBe(0);
  expect(await catalog.cost("default", usage(0))).toBe(0);
});
