import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { sliceText } from "@quoll/terminal-text/wrap-text";
import type { DiffHunk, DiffLine } from "../../../../src/contracts/display.ts";
import { PALETTES } from "../../../../src/contracts/palettes.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { diffLines, splitAt } from "../../../../src/faces/repl/view/diff-lines.ts";
import { revealLine } from "../../../../src/faces/repl/view/reveal.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { diffTexts } from "../../../../src/platform/diff-hunks.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

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
const OPTIONS = { columns: 80, paint } as const;
const TINTED = themeFor(3, true, false, PALETTES.dark);
const [ADDED, REMOVED, WORD] = [TINTED.addedTint, TINTED.removedTint, TINTED.addedWord].map(
  (tint) => tint("x").split("x")[0],
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const UNDERLINED = /\u001b\[4m(.*?)\u001b\[24m/g;
const underlined = (line: string | undefined) => Array.from((line ?? "").matchAll(UNDERLINED), ([, text]) => text);

function hunkOf(...lines: readonly (readonly [kind: DiffLine["kind"], text: string])[]): DiffHunk {
  return { oldStart: 1, newStart: 1, lines: lines.map(([kind, text]) => ({ kind, text })) };
}

describe("a diff", () => {
  test("has its changed rows on tints up to the window's edge, and changed words on a stronger tint", () => {
    const [context, removed, added] = diffLines([HUNK], { ...OPTIONS, atEdge: true, theme: TINTED });
    // The erased rest of the row takes the tint.
    expect([removed?.startsWith(`${REMOVED}\u001b[K`), added?.startsWith(`${ADDED}\u001b[K`)]).toEqual([true, true]);
    expect(added).toContain(`${WORD}lines\u001b[49m${ADDED}`);
    expect(context).toBe(TINTED.dim(" 9   // a cart"));
  });

  test("in a box fills its tinted rows with blanks", () => {
    const rows = diffLines([HUNK], { ...OPTIONS, theme: TINTED });
    expect(rows.map((row) => textWidth(row))).toEqual([14, 80, 80, 80]);
  });

  test("shows the colours of the language on its tints, and its numbers dim", () => {
    const [, removed] = diffLines([HUNK], { ...OPTIONS, theme: TINTED });
    expect(removed).toContain(
      `${TINTED.dim("10")} ${TINTED.strong(TINTED.removed("−"))} ${TINTED.code.keyword("const")}`,
    );
    // The next colour ends that of the string.
    expect(removed).toContain(
      TINTED.code.string('"EUR"').replace("\u001b[39m", TINTED.code.punctuation(")").slice(0, -6)),
    );
  });

  test("with 16 colours or none has no backgrounds: its signs are bold, and changed words underlined", () => {
    for (const level of [0, 1] as const) {
      const theme = themeFor(level, true);
      const [, removed, added, alone] = diffLines([HUNK], { ...OPTIONS, theme });
      expect([underlined(removed), underlined(added), underlined(alone)]).toEqual([["items"], ["lines"], []]);
      expect(removed).toContain(theme.strong(theme.removed("−")));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: backgrounds begin with one.
      expect([removed, added, alone].join("")).not.toMatch(/\u001b\[(?:4[0-9]|10[0-7])[;m]/);
    }
  });

  test("keeps its text and its width, with colours and without", () => {
    const plain = diffLines([HUNK], { ...OPTIONS, paint: undefined, theme: themeFor(0) });
    expect(plain[1]).toBe('10 − const total = sum(items, "EUR");');
    for (const columns of [24, 80])
      for (const level of [0, 1, 3] as const)
        for (const split of [undefined, "always"] as const) {
          const options = { ...OPTIONS, columns, split };
          const drawn = diffLines([HUNK], { ...options, theme: themeFor(level, true, false, PALETTES.light) });
          expect(drawn.map((row) => stripAnsi(row).trimEnd())).toEqual([
            ...diffLines([HUNK], { ...options, paint: undefined, theme: themeFor(0) }),
          ]);
          expect(Math.max(...drawn.map(textWidth))).toBeLessThanOrEqual(columns);
        }
  });

  test("leaves unchanged lines out where they don't fit, and says how many changed lines are left", () => {
    const changes = Array.from({ length: 5 }, (_, at) =>
      hunkOf(["same", "a"], ["removed", `b${at}`], ["added", `c${at}`]),
    );
    const shown = (maxLines: number) =>
      diffLines(changes, { ...OPTIONS, theme: themeFor(0), maxLines, maxLineRows: 1 });
    expect(shown(19)).toHaveLength(19);
    expect(shown(18).filter((row) => row.endsWith(" a"))).toEqual([]);
    expect(shown(10)).toHaveLength(10);
    expect(shown(4)).toEqual(["2 − b0", "2 + c0", "2 − b1", "2 + c1", "… 6 more lines · ctrl+o"]);
  });

  test("cuts a very long line after some rows, and its unchanged lines after one", () => {
    const hunk = hunkOf(["same", "s".repeat(100)], ["added", "x".repeat(1_000_000)]);
    expect(diffLines([hunk], { columns: 24, theme: themeFor(0), maxLineRows: 3 })).toEqual([
      `1   ${"s".repeat(19)}…`,
      `2 + ${"x".repeat(20)}`,
      `  + ${"x".repeat(20)}`,
      `  + ${"x".repeat(19)}…`,
    ]);
  });
});

describe("a diff side by side", () => {
  const split = { ...OPTIONS, columns: 60, split: "always" as const, theme: themeFor(0) };

  test("begins at 120 columns, or as the setting says", () => {
    expect([119, 120].map((columns) => splitAt(columns))).toEqual([undefined, "fitting"]);
    expect([splitAt(200, "unified"), splitAt(60, "split")]).toEqual([undefined, "always"]);
    const [, pair] = diffLines([HUNK], { ...split, columns: 100 });
    expect(pair).toMatch(/items.*│.*lines/);
  });

  test("stays one column where two would not be lower, unless the setting says otherwise", () => {
    const lines = [
      { kind: "removed", text: "a" },
      { kind: "added", text: "b".repeat(80) },
    ] as const;
    const drawn = (how: "always" | "fitting", columns: number) =>
      diffLines([{ oldStart: 1, newStart: 1, lines }], { ...split, split: how, columns }).join("\n");
    // Four rows of 24 characters side by side, or one row and two of 56 characters.
    expect(drawn("fitting", 60)).not.toContain("│");
    expect(drawn("always", 60)).toContain("│");
    // Three rows either way: side by side, a line would be broken for nothing.
    expect(drawn("fitting", 78)).not.toContain("│");
    expect(drawn("fitting", 176)).toContain("│");
  });

  test("stays one column where lines are only added", () => {
    const added = hunkOf(["same", "a"], ["added", "b"]);
    expect(diffLines([added], split)).toEqual(["1   a", "2 + b"]);
    // All parts of a change have the same layout.
    expect(diffLines([added, HUNK], split)[0]).toContain("│");
  });

  test("has a line beside the line that it replaces, whatever is added before", () => {
    const hunk = hunkOf(
      ["removed", "const first = one(1);"],
      ["removed", "const second = two(2);"],
      ["added", "// Both are prices."],
      ["added", "const first = one(10);"],
      ["added", "const second = two(20);"],
    );
    expect(diffLines([hunk], split).map((row) => row.replace(/ +/g, " "))).toEqual([
      " │ 1 + // Both are prices.",
      "1 − const first = one(1); │ 2 + const first = one(10);",
      "2 − const second = two(2); │ 3 + const second = two(20);",
    ]);
  });

  test("gives both halves of a wrapped line the same rows, each on its tint", () => {
    const hunk = hunkOf(["removed", "short"], ["added", `${"漢字 ".repeat(10)}👍`]);
    const rows = diffLines([hunk], { ...split, theme: TINTED });
    expect(rows.length).toBe(3);
    for (const row of rows) {
      expect([row.split(`${REMOVED}`).length > 1, row.split(`${ADDED}`).length > 1]).toEqual([true, true]);
      expect([textWidth(row), textWidth(stripAnsi(row).split("│")[0] ?? "")]).toEqual([60, 29]);
    }
  });
});

const PARTS = [
  ...["const ", "漢字を", "👍", "👨‍👩‍👧‍👦", "\t", "  ", "e\u0301", "ไทย", "\u202e", "x".repeat(40)],
  ...["return a + b;", "// note", '"text"', "}", "("],
];

type Sides = { readonly old: readonly string[]; readonly now: readonly string[] };

/** The old and the new lines that rows with numbers of one digit show, without blanks: rows end without theirs. */
function sidesOf(rows: readonly string[], columns: number): Sides {
  const sides = { old: [] as string[], now: [] as string[] };
  const take = (to: string[], row: string) => {
    const text = row.slice(4).replace(/\s/g, "");
    if (/^\d/.test(row)) to.push(text);
    else if (row.trim() !== "") to.push((to.pop() ?? "") + text);
  };
  const half = Math.floor((columns - 3) / 2);
  const plain = rows.map(stripAnsi);
  const isSplit = plain.some((row) => sliceText(row, half + 1, half + 2) === "│");
  for (const row of plain) {
    if (isSplit) {
      take(sides.old, sliceText(row, 0, half));
      take(sides.now, sliceText(row, half + 3));
    } else {
      if (row[2] !== "+") take(sides.old, row);
      if (row[2] !== "−") take(sides.now, row);
    }
  }
  return sides;
}

seededTest(
  "the rows of any diff hold all old and new lines, in their order, and none is too wide",
  { seed: 11, cases: { quick: 60, deep: 3_000 } },
  (seed, cases) => {
    const random = seededRandom(seed);
    const line = () => random.some(8, () => random.pick(PARTS)).join("");
    for (let at = 0; at < cases; at += 1) {
      const before = random.some(4, line);
      const after = before.flatMap((text) => random.pick([[text], [text], [line()], [], [text, line()]]));
      const { hunks } = diffTexts(before.join("\n"), after.join("\n")).diff;
      const columns = 24 + random.below(120);
      const rows = diffLines(hunks, {
        columns,
        split: random.pick([undefined, "fitting", "always"] as const),
        theme: random.pick([TINTED, themeFor(0)]),
        paint,
      });
      const lines = hunks.flatMap((hunk) => hunk.lines);
      const without = (kind: string) =>
        lines.filter((one) => one.kind !== kind).map(({ text }) => revealLine(text).replace(/\s/g, ""));
      expect([seed, at, Math.max(0, ...rows.map(textWidth)) <= columns]).toEqual([seed, at, true]);
      expect([seed, at, sidesOf(rows, columns)]).toEqual([
        seed,
        at,
        { old: without("added"), now: without("removed") },
      ]);
    }
  },
);
