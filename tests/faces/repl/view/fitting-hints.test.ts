import { expect, test } from "bun:test";
import { fittingHints, hintRows } from "../../../../src/faces/repl/view/theme-hints.ts";

const HINTS = ["tab message", "", "end follow", "esc back"];

test.each([
  [40, "tab message · end follow · esc back"],
  [34, "tab message · esc back"],
  [10, "esc back"],
])("the way back stays in a row of %d columns", (columns, row) => {
  expect(fittingHints(columns, ...HINTS)).toBe(row);
});

test.each([
  [40, ["tab message · end follow · esc back"]],
  [25, ["tab message · end follow", "esc back"]],
  [8, ["tab message", "end follow", "esc back"]],
])("no hint is broken in rows of %d columns", (columns, rows) => {
  expect(hintRows(columns, HINTS)).toEqual(rows);
});
