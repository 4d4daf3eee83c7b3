import { expect, test } from "bun:test";
import type { Clock } from "../../../../src/contracts/ports.ts";
import { IdleWatch, patienceWith } from "../../../../src/services/provider/request/idle-watch.ts";

test("a long silence before the first event wakes the watch only now and then", async () => {
  let nowMs = 0;
  const sleeps: number[] = [];
  const clock: Clock = {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: async (ms) => {
      sleeps.push(ms);
      nowMs += ms;
      if (sleeps.length > 100) throw new Error("It never ends.");
    },
  };
  const expired: number[] = [];
  const listener = { onNoted: () => undefined, onExpired: (silentMs: number) => void expired.push(silentMs) };
  await new IdleWatch(clock, patienceWith({ isLoopback: false })).run(listener, new AbortController().signal);
  expect([expired, sleeps]).toEqual([[120_000], [30_000, 30_000, 30_000, 30_000]]);
});

const PATIENCE: readonly (readonly [string, Parameters<typeof patienceWith>, ReturnType<typeof patienceWith>])[] = [
  ["a server far away", [{ isLoopback: false }], { firstMs: 120_000, idleMs: 90_000, notedMs: 30_000 }],
  [
    "this machine, which may load a model first",
    [{ isLoopback: true }],
    { firstMs: 600_000, idleMs: 90_000, notedMs: 30_000 },
  ],
  ["a short one of the settings", [{ isLoopback: false }, 6_000], { firstMs: 120_000, idleMs: 6_000, notedMs: 2_000 }],
  [
    "a long one of the settings",
    [{ isLoopback: false }, 900_000],
    { firstMs: 900_000, idleMs: 900_000, notedMs: 30_000 },
  ],
];
test.each(PATIENCE)("patience with %s", (_, given, patience) => {
  expect(patienceWith(...given)).toEqual(patience);
});

test("silence between two events is noted, then ends the watch, as long as the settings say", async () => {
  let nowMs = 0;
  const told: string[] = [];
  const sleep = async (ms: number) => {
    nowMs += ms;
  };
  const clock: Clock = { now: () => nowMs, monotonicMs: () => nowMs, sleep };
  const watch = new IdleWatch(clock, patienceWith({ isLoopback: true }, 6_000));
  watch.touch();
  const listener = {
    onNoted: () => void told.push(`noted at ${nowMs}`),
    onExpired: (silentMs: number) => void told.push(`ended after ${silentMs}`),
  };
  await watch.run(listener, new AbortController().signal);
  expect(told).toEqual(["noted at 2000", "ended after 6000"]);
});
