import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { ResultBody } from "../../../../src/contracts/display.ts";
import type { TurnReport } from "../../../../src/contracts/event.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import { PALETTES } from "../../../../src/contracts/palettes.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { wholeBlockLines, wholeDrawables } from "../../../../src/faces/repl/viewer/block-lines.ts";
import { BlockList, blockMatches, unshownText } from "../../../../src/faces/repl/viewer/blocks.ts";
import { searchPattern } from "../../../../src/faces/repl/viewer/search-pattern.ts";
import type { FinishedTool, Row } from "../../../../src/protocol/transcript/transcript.ts";

const USE = { type: "tool_use", id: "1", name: "Agent", input: {} } as const;

const finished = (excerpt: string, rest: Partial<FinishedTool>): FinishedTool => ({
  use: USE,
  title: "Look",
  isError: false,
  durationMs: 1,
  excerpt,
  display: undefined,
  refusedBy: undefined,
  ...rest,
});
const summary = (text: string) => ({ display: { kind: "summary", text } as const });

test("a result is shown once: not again below a summary that contains it, or below an image", () => {
  const image = { images: ["image 4×4 PNG, 93 bytes"] };
  const answer = "Found it.\nIn a.ts.";
  const noted = `${answer}\n[Explore a1: completed]`;
  expect(unshownText(finished(noted, summary(`completed · 3 requests\n${answer}`)))).toEqual([]);
  expect(unshownText(finished(noted, summary("completed · 3 requests")))).toEqual(noted.split("\n"));
  expect(unshownText(finished("1\tx", summary("1 line")))).toEqual(["1\tx"]);
  expect(unshownText(finished("Noted.", { display: { kind: "todos", todos: [] } }))).toEqual([]);
  expect(
    unshownText(finished("a.png: image/png", { ...summary("image"), ...image, use: { ...USE, name: "Read" } })),
  ).toEqual([]);
  expect(unshownText(finished("the cart", { ...summary("2 parts"), ...image }))).toEqual(["the cart"]);
});

test("a refused command follows its head only where the head has not all of it", () => {
  const theme = themeFor(0);
  const drawn = (command: string) => {
    const answer = { kind: "refused", preview: { kind: "command", command, description: "", unclear: [] } } as const;
    const rest = { title: command, use: { ...USE, name: "Bash" }, isError: true, answer };
    const row: Row = { kind: "tool", tool: finished("", rest) };
    const block = { kind: "call", rows: [row] } as const;
    return wholeBlockLines(block, { theme, columns: 40, markdown: new MarkdownRenderer() }, 0);
  };
  expect(drawn("rm -rf src").map((line) => line.trim())).toEqual([
    expect.stringContaining("rm -rf src"),
    "you said no",
  ]);
  expect(drawn(`rm -rf ${"src ".repeat(20)}`.trim()).length).toBeGreaterThan(3);
});

describe("a file that was read", () => {
  const theme = themeFor(3, true, false, PALETTES.dark);
  const use = { ...USE, name: "Read", input: { file_path: "/shop/cart.ts" } };
  const tool = finished("     9\tconst a = 1;\n    10\t\n    11\treturn f(a); // c\n[no newline at the end]", {
    use,
    ...summary("3 lines"),
  });
  const lines = async (columns: number, row: FinishedTool = tool) => {
    const markdown = new MarkdownRenderer();
    for (const drawable of wholeDrawables({ kind: "tool", tool: row })) await markdown.load(drawable);
    return wholeBlockLines({ kind: "call", rows: [{ kind: "tool", tool: row }] }, { theme, columns, markdown }, 0);
  };

  test("has dim numbers, the colours of its language, and its notes below", async () => {
    const drawn = await lines(60);
    expect(drawn.map((line) => stripAnsi(line).trim()).slice(-5)).toEqual([
      ...["3 lines", "9 const a = 1;", "10", "11 return f(a); // c", "[no newline at the end]"],
    ]);
    const shown = drawn.join("\n");
    expect(shown).toContain(`${theme.dim("11")} ${theme.code.keyword("return").replace("\u001b[39m", "")}`);
    expect(shown).toContain(theme.code.comment("// c"));
  });

  test("is wrapped beside its numbers", async () => {
    const drawn = (await lines(24)).map((line) => stripAnsi(line).trimEnd());
    expect(drawn.every((line) => textWidth(line) <= 24)).toBe(true);
    expect(drawn.slice(-4, -2).map((line) => line.trim())).toEqual(["11 return f(a);", "// c"]);
  });

  test("without numbers it is drawn as other results", async () => {
    const folder = finished("a.ts\nb.ts", { use, ...summary("2 entries") });
    expect((await lines(60, folder)).slice(-2).map((line) => line.trim())).toEqual(["a.ts", "b.ts"]);
  });
});

describe("the search finds every word that the viewer draws", () => {
  const report = { durationMs: 61_000, usage: { ...NO_USAGE, inputTokens: 31_000 }, costUsd: 0.07 } as TurnReport;
  const tool = (rest: Partial<FinishedTool>): Row => ({ kind: "tool", tool: finished("", rest) });
  const described = (body: ResultBody): Row => ({
    kind: "tool",
    tool: finished("plain words", { display: { kind: "summary", text: "1 failed", body } }),
  });
  const hunks = [{ oldStart: 1, newStart: 1, lines: [{ kind: "added" as const, text: "one" }] }];
  test.each<[string, Row]>([
    ["the figures of a turn", { kind: "footer", report, files: 2, added: 12, removed: 3 }],
    ["thinking", { kind: "thinking", text: "Hm.", durationMs: 4_000 }],
    ["an unfolded result", { kind: "whole", lines: ["whole output"] }],
    [
      "a refused call",
      tool({ isError: true, refusedBy: { kind: "hook", reason: "no rm here", source: "jq (PreToolUse)" } }),
    ],
    [
      "closed questions",
      tool({ isError: true, refusedBy: { kind: "person" }, use: { ...USE, name: "AskUserQuestion" } }),
    ],
    ["notes of an agent", tool({ notes: ["Read a.ts"], ...summary("completed · 3 requests"), durationMs: 90_000 })],
    ["a change", tool({ display: { kind: "diff", path: "a.ts", isNew: false, added: 1, removed: 4, hunks } })],
    ["content as a list", described({ kind: "list", items: [{ text: "types", mark: "done", note: "1 file" }] })],
    ["content as a table", described({ kind: "table", columns: [{ name: "file" }], rows: [["a.ts"]] })],
    ["content that is a change", described({ kind: "diff", path: "a.ts", hunks })],
    ["an answer of a command", { kind: "answer", command: "/cost", lines: ["$0.07 in all"] }],
  ])("%s", (_, row) => {
    const blocks = new BlockList([row]);
    const block = blocks.at(0);
    if (!block) throw new Error("The row makes no block.");
    const style = { theme: themeFor(0), columns: 120, markdown: new MarkdownRenderer() };
    const words = wholeBlockLines(block, style, 0).flatMap((line) => line.match(/[\p{L}\p{N}+−$.]+/gu) ?? []);
    expect(words.length).toBeGreaterThan(0);
    const lost = words.filter((word) => !blockMatches(block, searchPattern(word)?.inSource ?? /^$/));
    expect(lost).toEqual([]);
  });
});
