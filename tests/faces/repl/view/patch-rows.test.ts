import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { PALETTES } from "../../../../src/contracts/palettes.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { patchRows } from "../../../../src/faces/repl/view/patch-rows.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";

const theme = themeFor(3, true, false, PALETTES.dark);
const [ADDED = "", REMOVED = ""] = [theme.addedTint, theme.removedTint].map((tint) => tint("x").split("x")[0]);

test("the changed lines of a patch fill their rows with their tint, and heads are dim", () => {
  const rows = ["--- a/x.ts", "@@ -1 +1 @@", "-old", "+new words", " same"].flatMap((line) =>
    patchRows(line, { theme, columns: 6 }),
  );
  expect(rows.map(stripAnsi)).toEqual(["--- a/", "x.ts", "@@ -1 ", "+1 @@", "-old  ", "+new w", "ords  ", " same"]);
  expect(rows.map((row) => [row.startsWith(REMOVED), row.startsWith(ADDED)].indexOf(true))).toEqual([
    ...[-1, -1, -1, -1, 0, 1, 1, -1],
  ]);
  expect(rows[0]).toBe(theme.dim("--- a/"));
});

test("a patch in an answer stands on tints up to the window's edge", async () => {
  const markdown = new MarkdownRenderer();
  await markdown.warm();
  for (const language of ["diff", "Patch"]) {
    const chunk = { kind: "code", gap: false, language, lines: ["-old", "+new"] } as const;
    const [removed, added] = markdown.lines(chunk, theme, 40);
    expect([removed?.startsWith(`  ${REMOVED}\u001b[K`), added?.startsWith(`  ${ADDED}\u001b[K`)]).toEqual([
      true,
      true,
    ]);
    expect([removed, added].map((row) => textWidth(row ?? ""))).toEqual([6, 6]);
  }
});
