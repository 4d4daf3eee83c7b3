import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { viewerHelp } from "../../../../src/faces/repl/viewer/viewer-host.ts";

test.each([120, 80, 60])("the keys of the transcript are whole at %d columns", (columns) => {
  const lines = viewerHelp(DEFAULT_KEYMAP, columns, themeFor(0)).map(stripAnsi);
  expect(lines.filter((line) => line.includes("…") || textWidth(line) > columns)).toEqual([]);
  expect(lines.map((line) => line.trim()).join(" ")).toMatch(/to the end,? and\s+follows it/);
  if (columns >= 80) expect(lines).toHaveLength(11);
});

test("the keys of the transcript have a row each in a narrow window, with words in one column", () => {
  const lines = viewerHelp(DEFAULT_KEYMAP, 40, themeFor(0)).map(stripAnsi);
  expect(lines).toHaveLength(11);
  expect(lines.filter((line) => line.includes("…") || textWidth(line) > 40)).toEqual([]);
  const starts = lines.slice(1).map((line) => /^ {2}\S.*? {2,}(?=\S)/.exec(line)?.[0].length);
  expect(new Set(starts)).toEqual(new Set([19]));
});
