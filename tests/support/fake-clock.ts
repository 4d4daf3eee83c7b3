import type { Clock } from "../../src/contracts/ports.ts";

/** A clock that a test moves by hand: `await clock.advance(500)` wakes every sleeper whose time has come, in order. */
export function fakeClock(startMs = Date.UTC(2026, 0, 2, 3, 4, 5)) {
  let nowMs = startMs;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  const clock: Clock = {
    now: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        };
        const sleeper = {
          at: nowMs + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        signal.addEventListener("abort", onAbort, { once: true });
        sleepers.add(sleeper);
      }),
  };
  return {
    ...clock,
    /** The number of sleepers. */
    get sleeping() {
      return sleepers.size;
    },
    async advance(ms: number) {
      nowMs += ms;
      for (const sleeper of [...sleepers].sort((a, b) => a.at - b.at)) if (sleeper.at <= nowMs) sleeper.wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
