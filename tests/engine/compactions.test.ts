import { expect, test } from "bun:test";
import { failing, fault, reply } from "@quoll/model-twin/scenario";
import type { WindowSettings } from "../../src/contracts/window-limits.ts";
import { IdleCompaction } from "../../src/engine/compactions.ts";
import { compactionStages } from "../../src/services/context/compaction/compaction-stages.ts";
import { engineHarness, until } from "../support/engine-harness.ts";

const SUMMARY = "<summary>\n## Goal\nCount the birds.\n## Next step\nAnswer.\n</summary>";
const ANSWER = reply("word ".repeat(3_000), { usage: { inputTokens: 60_000, outputTokens: 3_000 } });

/** A session whose waits end when the test says so. */
async function resting(windowSettings: WindowSettings, summary = reply(SUMMARY), answer = ANSWER) {
  let now = 0;
  let window = 200_000;
  const faults: unknown[] = [];
  const waits: { readonly ms: number; end(): void; readonly signal: AbortSignal }[] = [];
  const h = await engineHarness({
    ...{ windowTokens: () => window, noteFault: (error: unknown) => `${faults.push(error)}` },
    ...{ windowSettings, compactor: compactionStages({ canRecall: true }) },
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        waits.push({ ms, signal, end: resolve });
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    scenario: [answer, answer, summary, reply("Three.")],
  });
  for (const prompt of ["first", "second"]) await h.engine.submit({ prompt });
  const idle = () => waits.filter(({ ms, signal }) => ms > 200_000 && !signal.aborted);
  const pass = async (ms: number) => {
    now += ms;
    for (const wait of idle()) wait.end();
    await new Promise((resolve) => setImmediate(resolve));
    await until(() => !h.engine.state.busy);
  };
  const shrinkTo = (tokens: number) => {
    window = tokens;
  };
  return { ...h, idle, pass, shrinkTo, faults, [Symbol.asyncDispose]: h[Symbol.asyncDispose] };
}

test("a resting conversation is summarised before the cache expires, if the person set that", async () => {
  await using h = await resting({ idle: true });
  expect(h.idle().map(({ ms }) => ms)).toEqual([270_000]);
  await h.pass(270_000);
  await until(() => h.events.some((event) => event.type === "compacted"));
  expect(h.events.filter((event) => event.type === "compacted").map((event) => event.why)).toEqual(["idle"]);
  expect(h.twin.requests).toHaveLength(3);
  await h.engine.submit({ prompt: "third" });
  expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("Count the birds.");
});

test("without the setting nothing is sent while the conversation rests", async () => {
  await using h = await resting({});
  expect(h.idle()).toEqual([]);
});

test("a small conversation, and a cache that has expired while the machine slept, are left alone", async () => {
  await using small = await resting({ idle: true }, reply(SUMMARY), reply("Yes."));
  await small.pass(270_000);
  expect(small.twin.requests).toHaveLength(2);
  await using late = await resting({ idle: true });
  await late.pass(400_000);
  expect(late.twin.requests).toHaveLength(2);
});

test("a new prompt ends the wait, and a failed summary leaves the conversation as it was", async () => {
  await using h = await resting({ idle: true }, failing(fault.badRequest("No.")));
  const [wait] = h.idle();
  const messages = [...h.engine.state.messages];
  await h.pass(270_000);
  await until(() => h.twin.requests.length === 3 && !h.engine.state.busy);
  expect(h.engine.state.messages).toEqual(messages);
  // The rest after it is not used a second time.
  expect(h.idle().filter((one) => one !== wait)).toEqual([]);
  await h.engine.submit({ prompt: "third" });
  expect(h.idle().filter((one) => one !== wait)).toHaveLength(1);
});

test("a window in which nothing makes room is no fault of Quoll: the next prompt names it", async () => {
  await using h = await resting({ idle: true });
  h.shrinkTo(3);
  await h.pass(270_000);
  await until(() => !h.engine.state.busy);
  expect(h.faults.map(String).join("\n")).not.toContain("The system prompt and the tools take");
});

test("a failed compaction is not tried again before the cache that it could not use expires", async () => {
  let now = 0;
  const waits: number[] = [];
  const ends: (() => void)[] = [];
  const clock = {
    ...{ now: () => now, monotonicMs: () => now },
    sleep: (ms: number) => {
      waits.push(ms);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  };
  let compactions = 0;
  let expiresAt = 300_000;
  const idle = new IdleCompaction({
    clock,
    cache: { expiresAt: () => expiresAt },
    isDue: () => true,
    // As in a session: the compaction is work, and a rest follows it.
    compact: async () => {
      compactions += 1;
      idle.stop();
      idle.rest();
    },
  });
  idle.rest();
  now = 270_000;
  ends[0]?.();
  await until(() => compactions === 1);
  expect(waits).toEqual([270_000]);

  idle.stop();
  expiresAt = 600_000;
  idle.rest();
  expect(waits).toEqual([270_000, 300_000]);
});

test("closing the session ends the wait", async () => {
  const h = await resting({ idle: true });
  await h.engine.close();
  expect(h.idle()).toEqual([]);
  await h[Symbol.asyncDispose]();
});
