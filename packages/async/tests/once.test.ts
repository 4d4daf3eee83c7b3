import { expect, test } from "bun:test";
import { once } from "../src/once.ts";

test("a job runs at the first call only, and again after it failed", async () => {
  let runs = 0;
  const load = once(async () => {
    runs += 1;
    if (runs === 1) throw new Error("not yet");
    return runs;
  });
  await expect(load()).rejects.toThrow("not yet");
  expect(await Promise.all([load(), load()])).toEqual([2, 2]);
  expect(runs).toBe(2);
});
