import { expect, test } from "bun:test";
import { tableLines } from "../src/table-lines.ts";

test("each column of a table is as wide as its widest cell, and no line ends with blanks", () => {
  expect(tableLines([["a", "8", "", "x"], ["日本", "128", "b"], ["c"]], "  ", [1])).toEqual([
    "  a       8     x",
    "  日本  128  b",
    "  c",
  ]);
  expect(tableLines([])).toEqual([]);
});
