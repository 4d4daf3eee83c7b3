import { expect, test } from "bun:test";
import { withoutCutEnd, withoutCutStart } from "../src/cut-word.ts";

test.each([
  ["some words and half_of_a_long_one", "some words and "],
  ["some words, short", "some words, short"],
  ["ends in a blank ", "ends in a blank "],
  ["a".repeat(100), "a".repeat(64)],
  [`x ${"a".repeat(100)}`, "x "],
  ["", ""],
])("the start %p of a cut text becomes %p", (text, shown) => {
  expect(withoutCutEnd(text)).toBe(shown);
});

test.each([
  ["half_of_a_long_one and words", " and words"],
  ["short and words", "short and words"],
  [" begins with a blank", " begins with a blank"],
  ["a".repeat(100), "a".repeat(64)],
])("the end %p of a cut text becomes %p", (text, shown) => {
  expect(withoutCutStart(text)).toBe(shown);
});
