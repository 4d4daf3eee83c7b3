import { expect, test } from "bun:test";
import { cutRows } from "../src/cut-rows.ts";
import { stripAnsi } from "../src/plain-text.ts";
import { textWidth } from "../src/text-width.ts";

const RED = "\u001b[31m";
const END = "\u001b[39m";
const TINT = "\u001b[48;2;1;2;3m";
const TINT_END = "\u001b[49m";

test("a line that fits is one row, as it is", () => {
  expect(cutRows(`${RED}ab${END} `, 3)).toEqual([`${RED}ab${END} `]);
});

test("a row ends after a blank near its end, and else at the last character that fits", () => {
  expect(cutRows("return first + second;", 16)).toEqual(["return first + ", "second;"]);
  expect(cutRows("a  bcdefghijklmnopqrstuv", 16)).toEqual(["a  bcdefghijklmn", "opqrstuv"]);
  // An indent is no place for a break.
  expect(cutRows(`${" ".repeat(14)}indented`, 16)).toEqual([`${" ".repeat(14)}in`, "dented"]);
});

test("each row has the styles of its own text, and ends them", () => {
  expect(cutRows(`a${RED}bcd${TINT}ef${END}gh${TINT_END}`, 4)).toEqual([
    `a${RED}bcd${END}`,
    `${RED}${TINT}ef${END}gh${TINT_END}`,
  ]);
  // The blank at the end of a row has no background, and the one at the end of the line keeps its own.
  expect(cutRows(`${TINT}ab cd ${TINT_END}`, 3)).toEqual([`${TINT}ab${TINT_END} `, `${TINT}cd ${TINT_END}`]);
  for (const row of cutRows(`${RED}${TINT}${"x".repeat(20)}${TINT_END}${END}`, 6))
    expect([row.split(RED).length, row.split(END).length, row.split(TINT).length, row.split(TINT_END).length]).toEqual([
      2, 2, 2, 2,
    ]);
});

test("wide characters, emoji and marks are never cut, and no row is too wide", () => {
  const family = "👨‍👩‍👧‍👦";
  const text = `価格を変更しました${family}e\u0301x ${family}${family} 漢字`;
  for (let columns = 2; columns < 30; columns += 1) {
    const rows = cutRows(`${RED}${text}${END}`, columns).map(stripAnsi);
    expect(rows.join("")).toBe(text);
    for (const row of rows) {
      expect(textWidth(row)).toBeLessThanOrEqual(columns);
      expect(row).not.toMatch(/^[\u0301\u200d]/);
    }
  }
});

test("the last of the rows that are allowed ends with an ellipsis where text is left", () => {
  expect(cutRows("a".repeat(20), 8, 1)).toEqual([`${"a".repeat(7)}…`]);
  expect(cutRows("a".repeat(20), 8, 2)).toEqual(["a".repeat(8), `${"a".repeat(7)}…`]);
  expect(cutRows("a".repeat(16), 8, 2)).toEqual(["a".repeat(8), "a".repeat(8)]);
  expect(cutRows(`${RED}漢字漢字${END}`, 4, 1)).toEqual([`${RED}漢${END}…`]);
});
