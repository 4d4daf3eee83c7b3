import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { AUTO_PALETTES } from "../../../../src/contracts/auto-palettes.ts";
import { openPicker } from "../../../../src/faces/repl/layers/picker.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { withCode } from "../../../../src/faces/repl/view/inline-code.ts";
import { pickerLines } from "../../../../src/faces/repl/view/picker-lines.ts";
import { rowLines } from "../../../../src/faces/repl/view/row-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";

const [COLORED, PLAIN] = [themeFor(3), themeFor(0)];
const room = { theme: COLORED, columns: 80, rows: 24, markdown: new MarkdownRenderer() };

test("code has a colour instead of backticks, and keeps them without colours", () => {
  const text = "Type `/model opus`, or `/login`.";
  expect(withCode(text, COLORED)).toBe(`Type ${COLORED.literal("/model opus")}, or ${COLORED.literal("/login")}.`);
  expect(withCode(text, PLAIN)).toBe(text);
  for (const other of ["a ` alone", "```ts", "it`s one and it`s two", "``"])
    expect(withCode(other, COLORED)).toBe(other);
});

test("notices, answers of commands and the lines about a choice show code; a row of data keeps its backticks", () => {
  const shown = [
    ...rowLines({ kind: "notice", level: "warning", text: "Try `/login`." }, undefined, room),
    ...rowLines({ kind: "answer", command: "x", lines: ["See `/model`.", "  Bash(echo `x`)"] }, undefined, room),
    ...pickerLines(
      openPicker({ title: "Settings", choices: [{ label: "a", detail: "", input: "", about: ["Is `auto`."] }] }),
      room,
    ).lines,
  ].map(stripAnsi);
  expect(shown.slice(0, 3)).toEqual(["▲ Try /login.", "  See /model.", "    Bash(echo `x`)"]);
  expect(shown).toContain("  Is auto.");
});

test("the colour of the text around goes on behind the code", () => {
  const theme = themeFor(3, true, false, AUTO_PALETTES.dark);
  const [open = ""] = theme.dim("|").split("|");
  const drawn = withCode("type `fg` to come back", theme, theme.dim);
  expect(drawn).toBe(`type ${theme.literal("fg")}${open} to come back`);
  expect(open).not.toBe("");
});
