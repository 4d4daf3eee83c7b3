import { expect, test } from "bun:test";
import { withoutCutEnd, withoutCutStart } from "../src/cut-word.ts";

const KEY = "aB3".repeat(40);

test.each([
  ["some words and half_of_a_long_one", "some words and "],
  ["some words, short", "some words, short"],
  ["ends in a blank ", "ends in a blank "],
  ["in prose (a_long_name_in_brackets", "in prose ("],
  ["眼前的文字没有空格继续写下去直到很长很长", "眼前的文字没有空格继续写下去直到很长很长"],
  ["", ""],
])("the start %p of a cut text becomes %p", (text, shown) => {
  expect(withoutCutEnd(text)).toBe(shown);
});

test.each([
  [KEY, ""],
  [`x ${KEY}`, "x "],
  [`API_KEY=${KEY}`, "API_KEY="],
  [`  password: "${KEY}`, '  password: "'],
  [`a=1&token=${KEY}`, "a=1&token="],
  [`get postgres://user:p@ss$wor!d${KEY}`, "get "],
  [`key -----BEGIN PRIVATE KEY-----\\n${KEY}\\n${KEY}`, "key -----BEGIN PRIVATE "],
])("of a secret at the cut nothing stays: %p becomes %p", (text, shown) => {
  expect(withoutCutEnd(text)).toBe(shown);
});

test.each([
  ["half_of_a_long_one and words", " and words"],
  ["short and words", "short and words"],
  [" begins with a blank", " begins with a blank"],
  [KEY, ""],
  [`${KEY}\\n${KEY}\\n-----END PRIVATE KEY-----`, " PRIVATE KEY-----"],
  [`${KEY}", "next": 1`, '", "next": 1'],
])("the end %p of a cut text becomes %p", (text, shown) => {
  expect(withoutCutStart(text)).toBe(shown);
});
