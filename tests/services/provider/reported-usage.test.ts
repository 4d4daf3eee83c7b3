import { expect, test } from "bun:test";
import { addUsage, NO_USAGE } from "../../../src/contracts/message.ts";
import { compatibleWire } from "../../../src/services/provider/ai-sdk/compatible-wire.ts";
import { providerAt } from "./ai-sdk/support.ts";
import { providerAt as anthropicAt, asked, doneOf, never, reading, throughTime } from "./anthropic/support.ts";
import { scriptedServer } from "./scripted-server.ts";

const told = { prompt_tokens: 10_000, completion_tokens: 100 };
const usage = (inputTokens: number, cacheReadTokens: number, cacheWriteTokens: number, costUsd?: number) => ({
  inputTokens,
  outputTokens: 100,
  cacheReadTokens,
  cacheWriteTokens,
  ...(costUsd !== undefined && { costUsd }),
});

async function usageOf(...events: readonly object[]) {
  await using server = await scriptedServer({ body: events });
  const { provider, clock } = providerAt(`${server.url}/v1`, compatibleWire());
  const read = reading(provider.stream(asked(undefined, { model: "m" }), never()));
  expect(await throughTime(read, clock)).toBeUndefined();
  return doneOf(read.events).usage;
}

const said = { choices: [{ index: 0, delta: { content: "Hi." }, finish_reason: null }] };
const end = (more: object = {}) => ({ choices: [{ index: 0, delta: {}, finish_reason: "stop", ...more }] });

test.each([
  ["OpenAI", { ...told, prompt_tokens_details: { cached_tokens: 9_000 } }, usage(1_000, 9_000, 0)],
  ["DeepSeek", { ...told, prompt_cache_hit_tokens: 9_000, prompt_cache_miss_tokens: 1_000 }, usage(1_000, 9_000, 0)],
  ["Kimi", { ...told, cached_tokens: 9_000 }, usage(1_000, 9_000, 0)],
  [
    "OpenRouter",
    { ...told, cost: 0.0123, prompt_tokens_details: { cached_tokens: 4_000, cache_write_tokens: 5_000 } },
    usage(1_000, 4_000, 5_000, 0.0123),
  ],
  [
    "LiteLLM",
    {
      ...told,
      cache_read_input_tokens: 4_000,
      cache_creation_input_tokens: 5_000,
      prompt_tokens_details: { cached_tokens: 4_000 },
    },
    usage(1_000, 4_000, 5_000),
  ],
  [
    "Qwen",
    { ...told, prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 6_000 } },
    usage(4_000, 0, 6_000),
  ],
  ["Perplexity", { ...told, cost: { total_cost: 0.5 } }, usage(10_000, 0, 0, 0.5)],
  ["a server that counts the cache beside the prompt", { ...told, cached_tokens: 90_000 }, usage(10_000, 90_000, 0)],
  ["a server that reports nonsense", { ...told, cached_tokens: "many", cost: -1 }, usage(10_000, 0, 0)],
] as const)("the cache and the cost that %s reports count", async (_, given, expected) => {
  expect(await usageOf(said, end(), { choices: [], usage: given })).toEqual(expected);
});

test("usage that stands with the choice, or under Groq's name, counts", async () => {
  expect(await usageOf(said, end({ usage: { ...told, cached_tokens: 9_000 } }))).toEqual(usage(1_000, 9_000, 0));
  expect(await usageOf(said, { ...end(), x_groq: { usage: told } })).toEqual(usage(10_000, 0, 0));
});

test("a cost in a message of Anthropic's API counts", async () => {
  const message = {
    ...{ type: "message", model: "m", stop_reason: "end_turn", content: [{ type: "text", text: "Hi." }] },
    usage: { input_tokens: 10, output_tokens: 100, cost: 0.25 },
  };
  await using server = await scriptedServer({ body: JSON.stringify(message) });
  const { provider, clock } = anthropicAt(server.url);
  const read = reading(provider.stream(asked(undefined, { model: "m" }), never()));
  await throughTime(read, clock);
  expect(doneOf(read.events).usage).toEqual(usage(10, 0, 0, 0.25));
});

test("a sum has a reported cost only if every part has one", () => {
  const one = usage(1, 0, 0, 0.5);
  expect(addUsage(one, usage(1, 0, 0, 0.25)).costUsd).toBe(0.75);
  expect(addUsage(one, usage(1, 0, 0)).costUsd).toBeUndefined();
  expect(addUsage(NO_USAGE, one).costUsd).toBe(0.5);
});
