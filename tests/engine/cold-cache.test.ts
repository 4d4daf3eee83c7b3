import { expect, test } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { textResult } from "../../src/contracts/tool.ts";
import { CacheWarmth, lastRequestOf } from "../../src/engine/cache-warmth.ts";
import { engineHarness, testTool } from "../support/engine-harness.ts";
import { fakeClock } from "../support/fake-clock.ts";

const MINUTES = 60_000;
/** Of about 25,000 tokens as the twin counts. */
const LARGE = testTool("Large", { run: async (text) => textResult(`${text} word `.repeat(14_000)) });
const call = (text: string) => reply([toolUse("Large", { text })]);
const fiveRounds = [0, 1, 2, 3, 4].map((at) => call(`${at}`));
const compactions = (h: Awaited<ReturnType<typeof engineHarness>>) =>
  h.events.flatMap((event) => (event.type === "compacted" ? [event.why] : []));

test("old results are cleared when the conversation was idle for longer than the cache lifetime", async () => {
  const clock = fakeClock();
  const scenario = [...fiveRounds, reply("Done."), reply("Soon."), reply("Late.")];
  await using h = await engineHarness({ tools: [LARGE], windowTokens: 200_000, scenario, now: () => clock.now() });
  await h.engine.submit({ prompt: "go" });
  await clock.advance(4 * MINUTES);
  await h.engine.submit({ prompt: "soon" });
  expect(compactions(h)).toEqual([]);
  await clock.advance(6 * MINUTES);
  await h.engine.submit({ prompt: "late" });
  expect(compactions(h)).toEqual(["cold"]);
  expect(h.forgotten.length).toBeGreaterThan(0);
  const sent = JSON.stringify(h.twin.requests.at(-1)?.body);
  for (const id of h.forgotten) expect(sent).toContain(`Cleared to make room, id ${id}`);
});

test("a small conversation stays as it is in a cold cache", async () => {
  const clock = fakeClock();
  const scenario = [...fiveRounds.slice(0, 3), reply("Done."), reply("Late.")];
  await using h = await engineHarness({ tools: [LARGE], windowTokens: 200_000, scenario, now: () => clock.now() });
  await h.engine.submit({ prompt: "go" });
  await clock.advance(60 * MINUTES);
  await h.engine.submit({ prompt: "late" });
  expect(compactions(h)).toEqual([]);
});

test("a cache is cold after its time, for another model, and in a session resumed late", async () => {
  const clock = fakeClock();
  const cache = new CacheWarmth(clock, () => 60 * MINUTES, undefined);
  expect(cache.isCold("a")).toBe(false);
  cache.note("a");
  expect([cache.isCold("a"), cache.isCold("b")]).toEqual([false, true]);
  await clock.advance(59 * MINUTES);
  expect(cache.isCold("a")).toBe(false);
  await clock.advance(2 * MINUTES);
  expect(cache.isCold("a")).toBe(true);
  const message = { role: "assistant", id: "a", model: "m", content: [], stopReason: "end_turn" } as const;
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const time = new Date(clock.now() - 10 * MINUTES).toISOString();
  const entry = { kind: "assistant", message: { ...message, usage }, v: 2, id: "e", parentId: null, time } as const;
  const resumed = (ttlMs: number) => new CacheWarmth(clock, () => ttlMs, lastRequestOf({ entries: [entry] }));
  expect([resumed(5 * MINUTES).isCold("a"), resumed(15 * MINUTES).isCold("a")]).toEqual([true, false]);
});

test("the provider of the last request sets the cache lifetime, also after a change of the provider", async () => {
  const clock = fakeClock();
  const provider = { ttlMs: 60 * MINUTES };
  const cache = new CacheWarmth(clock, () => provider.ttlMs, undefined);
  cache.note("a");
  provider.ttlMs = 5 * MINUTES;
  await clock.advance(10 * MINUTES);
  expect(cache.isCold("a")).toBe(false);
  cache.note("a");
  await clock.advance(10 * MINUTES);
  expect(cache.isCold("a")).toBe(true);
});
