import { expect, test } from "bun:test";
import type { ContinueReason } from "../../src/contracts/event.ts";
import { type Bounded, ContinuationCounts } from "../../src/engine/continuation-counts.ts";
import { CONTINUATIONS } from "../../src/engine/continuations.ts";

/** A missing or invented reason is a type error. */
const REASONS: { readonly [Reason in ContinueReason]: true } = {
  tool_results: true,
  pause_turn: true,
  output_cap_raised: true,
  output_continued: true,
  compacted: true,
  images_reduced: true,
  media_left_out: true,
  fallback_model: true,
  empty_answer: true,
  missing_calls: true,
  steered: true,
  stop_hook: true,
  schema_mismatch: true,
  loop_told: true,
  budget_left: true,
  waited: true,
};

test("each reason to continue is one row of the table", () => {
  expect(CONTINUATIONS.map(({ reason }) => reason).sort()).toEqual(Object.keys(REASONS).sort() as ContinueReason[]);
});

test("a continuation applies at most its number of times, and again after its reset", () => {
  const counts = new ContinuationCounts();
  const overflow: Bounded = { reason: "compacted", max: 2, resetsOn: "accepted" };
  const empty: Bounded = { reason: "empty_answer", max: 1, resetsOn: "turn" };
  const fallback: Bounded = { reason: "fallback_model", max: "each model once", resetsOn: "turn" };
  const spent = () => [overflow, empty, fallback].map((one) => counts.isSpent(one));
  for (const one of [overflow, empty, fallback]) counts.add(one);
  expect(spent()).toEqual([false, true, false]);
  counts.add(overflow);
  expect(spent()).toEqual([true, true, false]);
  counts.reset("results");
  expect(spent()).toEqual([true, true, false]);
  counts.reset("accepted");
  expect([spent(), counts.of("compacted"), counts.of("empty_answer")]).toEqual([[false, true, false], 0, 1]);
});
