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
      {
        ...WHAT_MOST_CAN,
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
        images: true,
        thinking: true,
        thinkingStyle: "budget",
        efforts: ["low", "medium", "high"],
        known: true,
      },
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

test("models of other vendors are known by their families, whoever serves them", () => {
  const brief = (name: string) => {
    const { contextWindow, images, thinking, known } = catalog.capabilities(name);
    return [contextWindow, images, thinking, known];
  };
  expect(brief("gpt-6-sol")).toEqual([1_050_000, true, true, true]);
  expect(brief("gpt-5-2025-08-07")).toEqual([400_000, true, true, true]);
  expect(brief("openai/gpt-oss-120b")).toEqual([131_072, false, true, true]);
  expect(brief("google/gemini-3.8-flash")).toEqual([1_048_576, true, true, true]);
  expect(brief("deepseek-v4-pro")).toEqual([1_000_000, false, true, true]);
});

test("prices of other vendors come from the package, by who serves the model", async () => {
  expect(await catalog.cost("gpt-5", usage(MILLION, MILLION, MILLION))).toBeCloseTo(1.25 + 10 + 0.125, 6);
  expect(await catalog.cost("gpt-5-2025-08-07", usage(MILLION))).toBeCloseTo(1.25, 6);
  expect(await catalog.cost("gpt-5-unheard-of", usage(MILLION))).toBeUndefined();
});

test("a model that runs on this machine costs nothing, once it is known to", async () => {
  const own = modelCatalog();
  await own.load("gpt-oss:20b", "ollama");
  expect([await own.cost("gpt-oss:20b", usage(10, 10)), await catalog.cost("some-local-model", usage(1))]).toEqual([
    0,
    undefined,
  ]);
});

test("facts that only the price package has are loaded when the model is chosen", async () => {
  const own = modelCatalog();
  const name = "cohere/command-a";
  expect(own.capabilities(name).known).toBe(false);
  await own.load(name, "openrouter");
  expect(own.capabilities(name)).toMatchObject({ known: true });
  expect(own.capabilities(name).contextWindow).toBeGreaterThan(100_000);
  expect(await own.cost(name, usage(MILLION))).toBeGreaterThan(0);
  await own.load("nobody-knows-this", "openrouter");
  expect(own.capabilities("nobody-knows-this").known).toBe(false);
});

test("the settings know better than any table", async () => {
  const own = modelCatalog({
    models: {
      "claude-opus-5-5": { contextWindow: 500_000 },
      mine: {
        contextWindow: 8_000,
        maxOutputTokens: 2_000,
        images: false,
        efforts: ["low"],
        price: { input: 1, output: 2 },
      },
    },
    providers: { local: { models: ["mine"] } },
  });
  expect(own.capabilities("claude-opus-5-5")).toMatchObject({
    contextWindow: 500_000,
    maxOutputTokens: 128_000,
    known: true,
  });
  expect(own.capabilities("mine")).toEqual({
    ...WHAT_MOST_CAN,
    documents: false,
    contextWindow: 8_000,
    maxOutputTokens: 2_000,
    images: false,
    thinking: false,
    efforts: ["low"],
    known: true,
  });
  expect(await own.cost("mine", usage(MILLION, MILLION, MILLION, MILLION))).toBeCloseTo(1 + 2 + 1 + 1, 6);
  expect(own.list()).toContain("local/mine");
  const named = modelCatalog({ models: { "ollama/qwen3": { contextWindow: 9_000 } } });
  expect(named.capabilities("qwen3").contextWindow).toBe(131_072);
  await named.load("qwen3", "ollama");
  expect(named.capabilities("qwen3").contextWindow).toBe(9_000);
});

test("a window of a million tokens that a beta opens has a row and a price of its own", async () => {
  expect(catalog.capabilities("claude-sonnet-4-5[1m]")).toMatchObject({ contextWindow: 1_000_000, known: true });
  expect(await catalog.cost("claude-sonnet-4-5[1m]", usage(300_000))).toBeCloseTo(1.8, 6);
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

test("a prefix that is cached for an hour costs twice the input to write", async () => {
  const written = usage(0, 0, 0, MILLION);
  const long = modelCatalog({ providers: { anthropic: { cacheTtl: "1h" } } });
  for (const name of ["claude-sonnet-5-5", "claude-opus-5-5"]) {
    expect(await long.cost(name, written)).toBe(await catalog.cost(name, written));
    await long.load(name, "anthropic");
    const input = (await catalog.cost(name, usage(MILLION))) ?? Number.NaN;
    expect(await long.cost(name, written)).toBeCloseTo(2 * input, 6);
    expect(await long.cost(name, usage(MILLION, 0, 0, MILLION))).toBeCloseTo(3 * input, 6);
  }
});

test("a window that was asked for before changes with what a server tells", () => {
  const own = modelCatalog();
  const window = (model: string) => own.capabilities(model).contextWindow;
  const before = window("some-model");
  own.learn("some-model", { contextWindow: before / 2 });
  expect(window("some-model")).toBe(before / 2);
});
