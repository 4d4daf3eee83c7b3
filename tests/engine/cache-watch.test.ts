import { describe, expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import type { EngineEvent } from "../../src/contracts/event.ts";
import { cacheMissedLine } from "../../src/contracts/event-lines.ts";
import { type Message, NO_USAGE, type Usage } from "../../src/contracts/message.ts";
import type { ProviderRequest } from "../../src/contracts/provider.ts";
import { CacheWatch, missCost } from "../../src/engine/cache-watch.ts";
import { modelCatalog } from "../../src/services/provider/catalog.ts";
import { engineHarness } from "../support/engine-harness.ts";
import { fakeClock } from "../support/fake-clock.ts";

const MINUTES = 60_000;
const words = (id: string, text = "word"): Message => ({ role: "user", id, content: [{ type: "text", text }] });
const tool = (name: string, description = "Reads.") => ({ name, description, inputSchema: {} });
const request = (change: Partial<ProviderRequest> = {}): ProviderRequest => ({
  ...{ model: "m", system: "You are.", maxTokens: 1_000 },
  tools: [tool("Read"), tool("Bash")],
  messages: [words("1"), words("2")],
  ...change,
});
const usage = (cacheReadTokens: number, cacheWriteTokens: number): Usage => ({
  ...{ ...NO_USAGE, inputTokens: 10, cacheReadTokens, cacheWriteTokens },
});
const WARM = usage(40_000, 2_000);
const COLD = usage(0, 43_000);

/** The answer to a second request that read nothing from the cache. */
function second(change: Partial<ProviderRequest>, used = COLD, between?: (watch: CacheWatch) => void) {
  const watch = new CacheWatch(fakeClock(), undefined);
  watch.sending(request());
  expect(watch.answered(WARM)).toBeUndefined();
  between?.(watch);
  watch.sending(request(change));
  return watch.answered(used);
}

describe("a request that missed the cache", () => {
  const changes: readonly (readonly [string, Partial<ProviderRequest>, object])[] = [
    ["the tool that changed", { tools: [tool("Read"), tool("Bash", "Runs.")] }, { changed: "tools", detail: "Bash" }],
    ["the tool that was added", { tools: [tool("Read"), tool("Bash"), tool("New")] }, { detail: "New" }],
    ["the tool that is gone", { tools: [tool("Bash")] }, { changed: "tools", detail: "Read" }],
    ["the system prompt", { system: "You were." }, { changed: "prompt" }],
    ["the effort", { effort: "high" }, { changed: "effort" }],
    ["the thinking", { thinking: 4_000 }, { changed: "thinking" }],
    ["the message", { messages: [words("1"), words("2", "other"), words("3")] }, { changed: "message", detail: "2" }],
    ["a message that is gone", { messages: [words("1")] }, { changed: "message", detail: "2" }],
    ["nothing", { messages: [words("1"), words("2"), words("3")] }, { changed: "nothing" }],
  ];
  test.each(changes)("names %s", (_, change, named) => {
    expect(second(change)).toMatchObject({ ...named, missedTokens: 42_000 });
  });

  test("counts only what was in the cache before", () => {
    expect(second({}, usage(30_000, 20_000))?.missedTokens).toBe(12_000);
    expect(second({}, usage(41_500, 5_000))).toBeUndefined();
    expect(second({}, usage(42_000, 90_000))).toBeUndefined();
  });

  test.each([
    { type: "compacted", why: "full", freedTokens: 1, note: "" },
    { type: "tools_changed", added: ["New"], changed: [], resentTokens: 1 },
    { type: "conversation_changed", by: "clear" },
    { type: "model_changed", model: "n" },
  ] satisfies readonly EngineEvent[])("is not told after $type: the reason is known", (event) => {
    expect(second({ messages: [words("9")] }, COLD, (watch) => watch.note(event))).toBeUndefined();
  });

  test("is not reported for another model, after a pause longer than the cache lifetime, or if usage is an estimate", async () => {
    expect(second({ model: "other" })).toBeUndefined();
    expect(second({}, { ...COLD, estimated: true })).toBeUndefined();
    const clock = fakeClock();
    const watch = new CacheWatch(clock, () => 5 * MINUTES);
    watch.sending(request());
    watch.answered(WARM);
    await clock.advance(6 * MINUTES);
    watch.sending(request());
    expect(watch.answered(COLD)).toBeUndefined();
  });

  test("is reported after a pause shorter than the cache lifetime of the last request's provider", async () => {
    const clock = fakeClock();
    const provider = { ttlMs: 60 * MINUTES };
    const watch = new CacheWatch(clock, () => provider.ttlMs);
    watch.sending(request());
    watch.answered(WARM);
    provider.ttlMs = 5 * MINUTES;
    await clock.advance(10 * MINUTES);
    watch.sending(request());
    expect(watch.answered(COLD)).toMatchObject({ changed: "nothing" });
    await clock.advance(10 * MINUTES);
    watch.sending(request());
    expect(watch.answered(WARM)).toBeUndefined();
  });

  test("is reported once: the next answer is compared with this answer", () => {
    const watch = new CacheWatch(fakeClock(), undefined);
    for (const used of [WARM, COLD, usage(43_000, 100)]) {
      watch.sending(request());
      expect(watch.answered(used) !== undefined).toBe(used === COLD);
    }
  });

  test("costs the difference between the price paid and the cache's", async () => {
    const catalog = modelCatalog();
    const miss = { changed: "nothing", missedTokens: 1_000_000 } as const;
    const model = "claude-sonnet-4-5";
    const paid = await catalog.cost(model, { ...NO_USAGE, cacheWriteTokens: 1_000_000 });
    const usual = await catalog.cost(model, { ...NO_USAGE, cacheReadTokens: 1_000_000 });
    expect(await missCost(miss, { model, usage: COLD }, catalog)).toBeCloseTo((paid ?? 0) - (usual ?? 0), 6);
    expect(await missCost(miss, { model: "unknown", usage: COLD }, catalog)).toBeUndefined();
  });
});

test("the engine tells a miss behind the answer, with its tokens, and the line names the setting", async () => {
  const cached = { cacheReadTokens: 40_000, cacheCreationTokens: 2_000 };
  const scenario = [
    reply("One.", { usage: cached }),
    reply("Two.", { usage: { cacheCreationTokens: 43_000 } }),
    reply("Three.", { usage: { cacheReadTokens: 43_000 } }),
  ];
  await using h = await engineHarness({ scenario });
  await h.engine.submit({ prompt: "one" });
  h.engine.setEffort("high");
  await h.engine.submit({ prompt: "two" });
  await h.engine.submit({ prompt: "three" });
  const missed = h.events.filter((event) => event.type === "cache_missed");
  expect(missed).toMatchObject([{ changed: "effort", missedTokens: 42_000 }]);
  const [at, answers] = [h.events.findIndex(({ type }) => type === "cache_missed"), h.events];
  expect(answers.slice(0, at).filter(({ type }) => type === "assistant_message")).toHaveLength(2);
  for (const miss of missed) expect(cacheMissedLine(miss)).toMatch(/42000 tokens.*effort/);
});

test("a round costs less than 0.3 ms with 200,000 tokens in 2,000 messages", () => {
  const messages = Array.from({ length: 2_000 }, (_, at) => words(`${at}`, "word ".repeat(100)));
  const watch = new CacheWatch(fakeClock(), undefined);
  const times = Array.from({ length: 100 }, () => {
    const start = performance.now();
    watch.sending(request({ messages }));
    watch.answered(usage(200_000, 10));
    return performance.now() - start;
  });
  expect(Math.min(...times)).toBeLessThan(0.3);
});
