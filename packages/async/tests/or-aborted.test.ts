import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { orAborted } from "../src/or-aborted.ts";

test("waiting ends with the work's result or error, or with the reason of an abort, and leaves no listener", async () => {
  const ending = new AbortController();
  const { signal } = ending;
  expect(await orAborted(Promise.resolve(7), signal)).toBe(7);
  await expect(orAborted(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
  const endless = new Promise<never>(() => undefined);
  const waiting = orAborted(endless, signal);
  ending.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(orAborted(Promise.resolve(7), signal)).rejects.toThrow("enough");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("work that fails after an abort is nobody's rejection", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const { promise, reject } = Promise.withResolvers<never>();
    await expect(orAborted(promise, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    reject(new Error("late"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

test("the reason of an abort comes before the error of work that the same abort has ended", async () => {
  const over = new AbortController();
  const { promise: work, reject } = Promise.withResolvers<never>();
  over.signal.addEventListener("abort", () => reject(new Error("the work was cancelled")));
  const waiting = orAborted(work, over.signal);
  over.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});
