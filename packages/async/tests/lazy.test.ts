import { expect, test } from "bun:test";
import { lazy } from "../src/lazy.ts";

test("a lazy value is loaded at its first use only, and is there afterwards", async () => {
  let loads = 0;
  const value = lazy(async () => ++loads);
  expect([value.value, value.begun]).toEqual([undefined, undefined]);
  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  expect([value.value, await value.begun]).toEqual([1, 1]);
});

test.each(["with a promise", "at once"])(
  "a lazy value whose load failed %s is loaded again at its next use",
  async (how) => {
    let loads = 0;
    const value = lazy(() => {
      loads += 1;
      if (loads > 1) return Promise.resolve(loads);
      const error = new Error("not yet");
      if (how === "at once") throw error;
      return Promise.reject(error);
    });
    await expect(value()).rejects.toThrow("not yet");
    expect(value.value).toBeUndefined();
    expect(await value()).toBe(2);
    expect(value.value).toBe(2);
  },
);
