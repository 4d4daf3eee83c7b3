import { expect, setDefaultTimeout, test } from "bun:test";
import { MAX_QUESTIONS, MAX_QUESTIONS_SANDBOXED, runOrdinaryWork } from "../../scripts/bench/ordinary.ts";
import { ORDINARY_CALLS, ORDINARY_READS } from "../../scripts/bench/ordinary-calls.ts";
import { deepTest } from "../support/deep.ts";

setDefaultTimeout(120_000);

test("150 ordinary calls, 120 of them reads, ask at most six times, and nothing of them is refused", async () => {
  expect(ORDINARY_CALLS).toHaveLength(150);
  expect(ORDINARY_READS).toBeGreaterThanOrEqual(120);
  const { asked, refused, failed } = await runOrdinaryWork({ sandbox: false, agrees: false });
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS);
  expect(asked.length).toBeGreaterThan(0);
});

deepTest("in the sandbox they ask no more often where nobody agreed to confined commands", async () => {
  const { asked, refused, failed } = await runOrdinaryWork({ sandbox: true, agrees: false });
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS);
});

deepTest("where a person agrees at the first question that offers it, they all ask at most three times", async () => {
  const { asked, refused, failed } = await runOrdinaryWork({ sandbox: true, agrees: true });
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS_SANDBOXED);
  expect(asked.length).toBeGreaterThan(0);
});
