import { expect, test } from "bun:test";
import { layoutText } from "../../../src/services/documents/pdf/read-pdf.ts";
import type { Run } from "../../../src/services/documents/pdf/text-lines.ts";

const CHAR_WIDTH = 5;
const run = (text: string, x: number, line: number, size = 10): Run => ({
  ...{ text, x, y: 100 + line * 12, width: text.length * CHAR_WIDTH, size },
});
const PROSE = "the wind comes from the west in most months";

test("columns of prose are read one after the other, and a title across both stays in its place", () => {
  const lines = Array.from({ length: 8 }, (_, line) => [
    run(`L${line} ${PROSE}`, 50, line + 2),
    run(`R${line} ${PROSE}`, 310, line + 2),
  ]);
  const title = run("A title that reaches across both of the columns of this page", 100, 0);
  const text = layoutText([title, ...lines.flat()]);
  const order = ["A title", "L0", "L7", "R0", "R7"].map((words) => text.indexOf(words));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test("a table of codes and texts stays a table", () => {
  const rows = Array.from({ length: 8 }, (_, line) => [
    run(`A-00${line}`, 50, line),
    run(`${line} ${PROSE}`, 150, line),
  ]);
  expect(layoutText(rows.flat()).split("\n")[3]).toMatch(/^A-003 {2,}3 the wind/);
});

test("a table of two wide columns with numbers stays a table", () => {
  const rows = Array.from({ length: 8 }, (_, line) => [
    run(`Apples, kind ${line}`, 50, line),
    run(`${line}00.00`, 300, line),
    run("4.50", 420, line),
  ]);
  const lines = layoutText(rows.flat()).split("\n");
  expect(lines).toHaveLength(8);
  expect(new Set(lines.map((line) => line.indexOf("4.50"))).size).toBe(1);
});

test("a footnote's number stands in its line, and a gap between paragraphs is an empty line", () => {
  const text = layoutText([
    run("more than last year", 50, 0),
    { ...run("1", 145, 0), y: 96, size: 6 },
    run("Next.", 50, 3),
  ]);
  expect(text).toBe("more than last year1\n\nNext.");
});

test("words of a script that is written from right to left keep their order", () => {
  const right = (text: string, x: number): Run => ({ ...run(text, x, 0), isRightToLeft: true });
  expect(layoutText([right("עולם", 50), right("שלום", 80)])).toBe("שלום עולם");
});
