import { expect, test } from "bun:test";
import { completionLines } from "../../../../src/faces/repl/view/completion-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";

test("a name with a line feed takes one row", () => {
  const found = ['@"a\nb.txt"', "@c.txt"].map((name) => ({ name, summary: "", argumentHint: "" }));
  const [first] = found;
  if (!first) throw new Error("no row");
  const lines = completionLines(found, first, { theme: themeFor(0), columns: 40, rows: 24 });
  expect(lines.map((line) => line.trim())).toEqual(['❯ @"a\\nb.txt"', "@c.txt"]);
});
