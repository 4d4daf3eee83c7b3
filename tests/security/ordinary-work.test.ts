import { expect, setDefaultTimeout, test } from "bun:test";
import { MAX_QUESTIONS, MAX_QUESTIONS_SANDBOXED, runOrdinaryWork } from "../../scripts/bench/ordinary.ts";
import { ORDINARY_CALLS } from "../../scripts/bench/ordinary-calls.ts";

setDefaultTimeout(120_000);

test("a hundred ordinary calls ask at most twelve times, and nothing of them is refused", async () => {
  expect(ORDINARY_CALLS).toHaveLength(100);
  const { asked, refused, failed } = await runOrdinaryWork({ sandbox: false, agrees: false });
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS);
  expect(asked.length).toBeGreaterThan(0);
});

test("in the sandbox they ask no more often where nobody agreed to confined commands", async () => {
  const { asked, refused, failed } = await runOrdinaryWork({ sandbox: true, agrees: false });
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS);
});

test("where a person agrees at the first question that offers it, they ask at most three times", async () => {
  const { asked, refused, failed } = await runOrdinaryWork({ sandbox: true, agrees: true });
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS_SANDBOXED);
});
