import { expect, test } from "bun:test";
import { cpuClock } from "../../../tests/support/cpu-clock.ts";
import { withoutMarks } from "../src/without-marks.ts";

test.each([
  ["## Two sums", "Two sums"],
  ["Two sums: `src/cart.ts` (was **1**, now 0).", "Two sums: src/cart.ts (was 1, now 0)."],
  ["**The `total` of `a`** is ``x `y` z``", "The total of a is x `y` z"],
  ["`**kept**` and 2 ** 3 and a ` alone", "**kept** and 2 ** 3 and a ` alone"],
  ["#hash and `a``b`", "#hash and a``b"],
])("the line %s has no marks of headings, code and bold text", (line, shown) => {
  expect(withoutMarks(line)).toBe(shown);
});

test("a line of marks alone is read in little time", () => {
  const spent = cpuClock();
  for (const line of ["`".repeat(1_000), "**".repeat(500), "` ".repeat(500), "**a ".repeat(250)]) withoutMarks(line);
  expect(spent()).toBeLessThan(200);
});
