import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { DiffHunk } from "../../../../src/contracts/display.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { changedWords } from "../../../../src/faces/repl/view/changed-words.ts";
import { diffLines, isSplitAt } from "../../../../src/faces/repl/view/diff-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";

const HUNK: DiffHunk = {
  oldStart: 9,
  newStart: 9,
  lines: [
    { kind: "same", text: "// a cart" },
    { kind: "removed", text: 'const total = sum(items, "EUR");' },
    { kind: "added", text: 'const total = sum(lines, "EUR");' },
    { kind: "added", text: "export const done = true;" },
  ],
};
const markdown = new MarkdownRenderer();
await markdown.load({ kind: "diff", path: "src/cart.ts" });
const paint = markdown.diffPaint("src/cart.ts");
const OPTIONS = { columns: 80, context: true, overflow: "wrap", paint } as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const UNDERLINED = /\u001b\[4m(.*?)\u001b\[24m/g;
const underlined = (line: string | undefined) => Array.from((line ?? "").matchAll(UNDERLINED), ([, text]) => text);

describe("a diff", () => {
  test("underlines the words that differ from the replaced line, and no line that replaces nothing", () => {
    const [, removed, added, alone] = diffLines([HUNK], { ...OPTIONS, theme: themeFor(1) });
    expect([underlined(removed), underlined(added), underlined(alone)]).toEqual([["items"], ["lines"], []]);
  });

  test("shows the colours of the language between those of the change, which go on after each", () => {
    const [, removed] = diffLines([HUNK], { ...OPTIONS, theme: themeFor(1) });
    // Red, the keyword bold, the text literal in its own colour, then red again.
    expect(removed).toContain("\u001b[31m− \u001b[1mconst\u001b[22m");
    expect(removed).toContain('\u001b[36m"EUR"\u001b[39m\u001b[31m');
  });

  test("keeps its text, its marks and its width, with colours and without", () => {
    const plain = diffLines([HUNK], { ...OPTIONS, paint: undefined, theme: themeFor(0) });
    expect(plain[1]).toBe('10 − const total = sum(items, "EUR");');
    for (const columns of [24, 80])
      for (const level of [0, 1, 3] as const)
        for (const isSplit of [false, true]) {
          const options = { ...OPTIONS, columns, isSplit };
          const drawn = diffLines([HUNK], { ...options, theme: themeFor(level, true) });
          expect(drawn.map(stripAnsi)).toEqual([
            ...diffLines([HUNK], { ...options, paint: undefined, theme: themeFor(0) }),
          ]);
          expect(Math.max(...drawn.map(textWidth))).toBeLessThanOrEqual(columns);
        }
  });

  test("stands side by side from 120 columns on, or as the setting says", () => {
    expect([119, 120].map((columns) => isSplitAt(columns))).toEqual([false, true]);
    expect([isSplitAt(200, "unified"), isSplitAt(60, "split")]).toEqual([false, true]);
    const [, pair] = diffLines([HUNK], { ...OPTIONS, columns: 100, isSplit: true, theme: themeFor(0) });
    expect(pair).toMatch(/items.*│.*lines/);
  });
});

test("lines that share too little have no changed words", () => {
  expect(changedWords("a completely different line", "const x = 1;")).toBeUndefined();
  expect(changedWords("return a + b;", "return a - b;")).toEqual({
    old: [{ from: 9, to: 10 }],
    now: [{ from: 9, to: 10 }],
  });
});
