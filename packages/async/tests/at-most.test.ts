import { expect, test } from "bun:test";
import { atMost } from "../src/at-most.ts";

/** A clock whose sleeps end when the test says so, or when their signal aborts. */
function manualClock() {
  const sleeps: { readonly ms: number; end(): void; isOver: boolean }[] = [];
  const clock = {
    sleep: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const one = { ms, end: resolve, isOver: false };
        sleeps.push(one);
        signal.addEventListener("abort", () => {
          one.isOver = true;
          reject(signal.reason);
        });
      }),
  };
  return { clock, sleeps };
}

test("a wait ends with the result or the error of the work, and its timer ends with it", async () => {
  const { clock, sleeps } = manualClock();
  expect(await atMost(Promise.resolve(7), 50, { clock })).toBe(7);
  await expect(atMost(Promise.reject(new Error("broken")), 50, { clock })).rejects.toThrow("broken");
  expect(sleeps.map(({ ms, isOver }) => [ms, isOver])).toEqual([
    [50, true],
    [50, true],
  ]);
});

test("a wait ends without a result after its time, or when its signal aborts", async () => {
  const { clock, sleeps } = manualClock();
  const endless = new Promise<never>(() => undefined);
  const late = atMost(endless, 50, { clock });
  sleeps[0]?.end();
  expect(await late).toBeUndefined();
  const ending = new AbortController();
  const ended = atMost(endless, 50, { clock, signal: ending.signal });
  ending.abort(new Error("enough"));
  expect(await ended).toBeUndefined();
});
