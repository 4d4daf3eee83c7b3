import { beforeAll, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { AUTO_PALETTES } from "../../../../src/contracts/auto-palettes.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { openTextLines } from "../../../../src/faces/repl/view/watch-lines.ts";
import { emptySplitter, splitBlocks } from "../../../../src/protocol/transcript/split-blocks.ts";
import { emptyTranscript } from "../../../../src/protocol/transcript/transcript.ts";

const markdown = new MarkdownRenderer();
beforeAll(() => markdown.warm());
const theme = themeFor(3, true, false, AUTO_PALETTES.dark);

const drawn = (text: string) =>
  openTextLines({ ...emptyTranscript, text: splitBlocks(emptySplitter, text).state }, undefined, {
    ...{ theme, columns: 80, markdown },
  }).join("\n");

test("inline code that streams is drawn as code before it ends", () => {
  expect(drawn("See `cart.set")).toContain(theme.literal("cart.set"));
  expect(drawn("See ``a`b")).toContain(theme.literal("a`b"));
});

test("text that streams shows no sign of inline code, wherever it is cut", () => {
  const text = "- `a` and `cart.settled()`\n- **b** in ``c`` too";
  for (let end = 1; end <= text.length; end += 1) expect(stripAnsi(drawn(text.slice(0, end)))).not.toContain("`");
});

test("a backtick of an earlier paragraph, and those in a code block of a list, leave text that streams as it is", () => {
  expect(stripAnsi(drawn("- one\n  ```\n  const a = `b"))).toContain("const a = `b");
  expect(stripAnsi(drawn("- the key ` alone\n\n  and more"))).toEndWith("and more");
});
