import { expect, test } from "bun:test";
import { Semaphore } from "../src/semaphore.ts";

test("jobs run in order, up to the limit at a time, and a failed job frees its place", async () => {
  const semaphore = new Semaphore(2);
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const started: number[] = [];
  const runs = gates.map(({ promise }, index) =>
    semaphore.run(async () => {
      started.push(index);
      await promise;
    }),
  );
  expect(started).toEqual([0, 1]);
  gates[1]?.reject(new Error("no"));
  await expect(runs[1]).rejects.toThrow("no");
  expect(started).toEqual([0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.all([runs[0], runs[2], runs[3]]);
  expect(started).toEqual([0, 1, 2, 3]);
});
