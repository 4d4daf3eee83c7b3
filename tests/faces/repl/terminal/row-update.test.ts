import { expect, test } from "bun:test";
import { rowUpdate } from "../../../../src/faces/repl/terminal/row-update.ts";
import { isDeep, testOrDeep } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { writtenCells } from "../../../support/written-cells.ts";

const COLUMNS = 24;
const ROUNDS = isDeep ? 200 : 60;
const STYLES = [
  "",
  "",
  "\u001b[2m",
  "\u001b[22m",
  "\u001b[38;5;215m",
  "\u001b[39m",
  "\u001b[1m",
  "\u001b]8;;https://a.example\u001b\\",
];
const END = "\u001b[22m\u001b[39m\u001b]8;;\u001b\\";

testOrDeep(!isDeep)("a row whose changes are written looks like the whole next row", async () => {
  const { pick, chance, below } = seededRandom(14);
  let short = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const signs = chance(0.7) ? ["a", "─", "›", " ", " "] : ["a", " ", "漢", "é", "👍"];
    const text = Array.from({ length: below(13) }, () => pick(STYLES) + pick(signs));
    const before = text.join("") + END;
    const at = below(text.length + 1);
    const change = pick([
      () => text.with(at < text.length ? at : 0, pick(STYLES) + pick(signs)),
      () => text.toSpliced(at, below(3), pick(signs)),
      () => [...text, pick(signs), pick(STYLES) + pick(signs)],
      () => text.slice(0, at),
    ]);
    const after = (text.length === 0 ? ["a"] : change()).join("") + END;
    const update = rowUpdate(before, after, COLUMNS);
    if (update.length < after.length) short += 1;
    expect((await writtenCells(COLUMNS, before, update)).cells).toEqual((await writtenCells(COLUMNS, after)).cells);
  }
  expect(short).toBeGreaterThan(ROUNDS / 2);
});

test("a step of a spinner, text that streams and a longer counter are a few bytes", async () => {
  const row = (sign: string, count: string) =>
    `\u001b[33m${sign}\u001b[39m writing · 9s · ↓${count} tok \u001b[2m· esc to interrupt\u001b[22m`.padEnd(70) +
    "\u001b[2mdefault\u001b[22m";
  expect(rowUpdate(row("◐", "5"), row("◓", "5"), 80)).toBe("\r\u001b[33m◓\u001b[39m");
  expect(rowUpdate("\u001b[1mab\u001b[22m c", "\u001b[1mab\u001b[22m cd\u001b[2me\u001b[22m", 80)).toBe(
    "\u001b[5Gd\u001b[2me\u001b[22m",
  );
  const longer = rowUpdate(row("◐", "98"), row("◐", "102"), 80);
  expect(longer.length).toBeLessThan(30);
  expect((await writtenCells(80, row("◐", "98"), longer)).cells).toEqual(
    (await writtenCells(80, row("◐", "102"))).cells,
  );
});

test("long blanks of a new row are moved over, unless they have a style or end the row", async () => {
  const footer = `${" ".repeat(58)}\u001b[2m10s · 5.3k tok\u001b[22m`;
  expect(rowUpdate("", footer, 80)).toBe("\u001b[59G\u001b[2m10s · 5.3k tok\u001b[22m");
  const styled = `a\u001b[7m${" ".repeat(20)}b\u001b[27m${" ".repeat(20)}`;
  const update = rowUpdate("", styled, 80);
  expect((await writtenCells(80, update)).cells).toEqual((await writtenCells(80, styled)).cells);
  for (const row of ["      a", "a      b       c", "漢        é", " ".repeat(9)])
    expect((await writtenCells(80, rowUpdate("", row, 80))).cells).toEqual((await writtenCells(80, row)).cells);
});

test.each([
  ["codes that move the cursor", "a\u001b[5Cb", "a\u001b[5Cc"],
  ["several styles in one code", "a\u001b[1;2mb\u001b[22m", "a\u001b[1;2mc\u001b[22m"],
  ["an emoji", "a👍", "a👍b"],
  ["a mark that combines", "abe", "abe\u0301"],
  ["more columns than the window", "a".repeat(90), `${"a".repeat(90)}b`],
])("a row with %s is written whole", (_, before, after) => {
  expect(rowUpdate(before, after, 80)).toBe(`\r\u001b[K${after}`);
});
