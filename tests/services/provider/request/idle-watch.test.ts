import { expect, test } from "bun:test";
import type { Clock } from "../../../../src/contracts/ports.ts";
import { IdleWatch } from "../../../../src/services/provider/request/idle-watch.ts";

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
  await new IdleWatch(clock, 120_000).run(listener, new AbortController().signal);
  expect([expired, sleeps]).toEqual([[120_000], [30_000, 30_000, 30_000, 30_000]]);
});
