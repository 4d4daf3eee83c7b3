import { expect, test } from "bun:test";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { plainRowLines } from "../../../../src/faces/repl/view/plain-rows.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";

test.each(["warning", "error"] as const)("a wrapped %s fits the plain screen with its word", (level) => {
  const text = "85 % of your 5h limit is used, and it starts anew in 1 h 30 min.";
  const style = { theme: themeFor(0), columns: 40, markdown: new MarkdownRenderer() };
  const lines = plainRowLines({ kind: "notice", level, text }, undefined, style);
  expect(lines[0]).toMatch(/^(Warning|Failed): 85 %/);
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
});
