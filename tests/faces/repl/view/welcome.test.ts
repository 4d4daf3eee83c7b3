import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { PERMISSION_MODES } from "../../../../src/contracts/permission-mode.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { rowLines } from "../../../../src/faces/repl/view/row-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { welcomeLines } from "../../../../src/faces/repl/view/welcome.ts";
import { paintedLines } from "../../../support/golden-lines.ts";

const ABOUT = { version: "0.1.0", cwd: "~/src/shop", model: "claude-sonnet-5", mode: "default" } as const;
const theme = themeFor(3);
const first = { model: "claude-sonnet-5, with a key", look: "/help lists everything", examples: ["!npm test"] };

/** The rows of a session's start, without its colours. */
function opening(row: object = {}, columns = 80): readonly string[] {
  const style = { theme, columns, markdown: new MarkdownRenderer() };
  return rowLines({ kind: "welcome", ...ABOUT, ...row }, undefined, style).map(stripAnsi);
}

test("the welcome before the session and the welcome in it stand in the same place, and differ by the model alone", () => {
  for (const columns of [24, 40, 80]) {
    const painted = paintedLines(columns, { ...theme, background: "dark" })
      .slice(0, 2)
      .map(stripAnsi);
    const inside = opening({}, columns);
    expect(inside.map((line) => line.replace(" · sonnet-5", ""))).toEqual(painted);
    expect(inside.join()).toContain(" · sonnet-5");
  }
});

test("the welcome names the mode where it is not the usual one", () => {
  const counts = PERMISSION_MODES.map((mode) => opening({ mode }).length);
  expect(counts).toEqual([2, 3, 3, 3, 3, 3]);
  expect(opening({ mode: "bypassPermissions" })[2]?.trim()).toStartWith("▲ bypassPermissions: ");
});

test("a later session on the same screen begins with an empty row, and the mode where it is not the usual one", () => {
  expect(opening({ isLater: true })).toEqual([""]);
  expect(opening({ isLater: true, mode: "plan" })).toEqual(["", expect.stringContaining("≡ plan: ")]);
});

test("the model stands once in the first steps of a new person", () => {
  expect(opening({ first }).join("\n").split("sonnet-5")).toHaveLength(2);
});

test("no row of the welcome is wider than the window, and a long folder keeps its end", () => {
  const long = { version: "0.1.0", cwd: `~/${"価格/".repeat(40)}shop`, model: "a-model-with-a-long-name".repeat(4) };
  for (let columns = 20; columns <= 120; columns += 1) {
    const lines = welcomeLines(long, theme, columns);
    expect(lines.every((line) => textWidth(line) <= columns)).toBe(true);
    expect(lines[1]).toContain("/shop");
  }
});

test("control characters in a folder's name are not printed", () => {
  const [, folder = ""] = welcomeLines({ version: "1", cwd: "~/\u001b[2Jshop\n" }, themeFor(0), 80);
  expect(folder).not.toMatch(/\p{Cc}/u);
});
