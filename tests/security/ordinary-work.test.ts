import { expect, setDefaultTimeout, test } from "bun:test";
import { MAX_QUESTIONS, MAX_QUESTIONS_SANDBOXED, runOrdinaryWork } from "../../scripts/bench/ordinary.ts";
import { ORDINARY_CALLS } from "../../scripts/bench/ordinary-calls.ts";

setDefaultTimeout(120_000);

test("a hundred ordinary calls ask at most twelve times, and nothing of them is refused", async () => {
  expect(ORDINARY_CALLS).toHaveLength(100);
  const { asked, refused, failed } = await runOrdinaryWork(false);
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS);
  expect(asked.length).toBeGreaterThan(0);
});

test("with the sandbox they ask at most three times", async () => {
  const { asked, refused, failed } = await runOrdinaryWork(true);
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS_SANDBOXED);
});
