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
  const listener = {
    onNoted: () => undefined,
    onExpired: (_: string, silentMs: number) => void expired.push(silentMs),
  };
  await new IdleWatch(clock, patienceWith({ isLoopback: false })).run(listener, new AbortController().signal);
  expect([expired, sleeps]).toEqual([[120_000], [30_000, 30_000, 30_000, 30_000]]);
});

const PATIENCE: readonly (readonly [string, Parameters<typeof patienceWith>, ReturnType<typeof patienceWith>])[] = [
  [
    "a server far away",
    [{ isLoopback: false }],
    { firstMs: 120_000, idleMs: 90_000, notedMs: 30_000, keepAliveMs: 600_000, keepAliveNotedMs: 120_000 },
  ],
  [
    "this machine, which may load a model first",
    [{ isLoopback: true }],
    { firstMs: 600_000, idleMs: 90_000, notedMs: 30_000, keepAliveMs: 600_000, keepAliveNotedMs: 120_000 },
  ],
  [
    "a short one of the settings",
    [{ isLoopback: false }, 6_000],
    { firstMs: 120_000, idleMs: 6_000, notedMs: 2_000, keepAliveMs: 18_000, keepAliveNotedMs: 6_000 },
  ],
  [
    "a long one of the settings",
    [{ isLoopback: false }, 900_000],
    { firstMs: 900_000, idleMs: 900_000, notedMs: 30_000, keepAliveMs: 2_700_000, keepAliveNotedMs: 120_000 },
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
    onExpired: (_: string, silentMs: number) => void told.push(`ended after ${silentMs}`),
  };
  await watch.run(listener, new AbortController().signal);
  expect(told).toEqual(["noted at 2000", "ended after 6000"]);
});

test("keep-alives without content are noted, then end the watch, and content begins their time anew", async () => {
  let nowMs = 0;
  const told: string[] = [];
  const watch = (): IdleWatch => idle;
  const sleep = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      nowMs += Math.min(1_000, left);
      watch().touch(nowMs === 5_000);
    }
  };
  const clock: Clock = { now: () => nowMs, monotonicMs: () => nowMs, sleep };
  const idle = new IdleWatch(clock, patienceWith({ isLoopback: false }, 6_000));
  idle.touch(true);
  const listener = {
    onNoted: (what: string) => void told.push(`${what} noted at ${nowMs}`),
    onExpired: (what: string, ms: number) => void told.push(`${what} for ${ms} ended it`),
  };
  await idle.run(listener, new AbortController().signal);
  expect(told).toEqual(["keep-alives noted at 11000", "keep-alives for 18000 ended it"]);
});
