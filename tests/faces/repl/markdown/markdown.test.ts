import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { lexer } from "marked";
import { Highlighter } from "../../../../src/faces/repl/markdown/highlight.ts";
import { blockLines, chunkLines } from "../../../../src/faces/repl/markdown/render-blocks.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import type { Chunk } from "../../../../src/protocol/transcript/chunk.ts";
import {
  emptySplitter,
  endBlocks,
  openChunk,
  openLength,
  splitBlocks,
} from "../../../../src/protocol/transcript/split-blocks.ts";
import { isDeep, testOrDeep } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const DOCUMENT = `# Title of *it*

A paragraph with **bold**, \`code\`, a [link](https://example.com/x) and
a second line that goes on.
Setext
======

- one
- two
  with a lazy line
  - nested **a**
  - nested b

    a paragraph in it
- three

  \`\`\`js
  const inItem = 1;

  const after = 2;
  \`\`\`
- [x] done
- [ ] open

1. first
1. second
1. third
   more

7) seven
8) eight

> a quote
> with two lines

> another

| name | count |
|:-----|------:|
| a    |     1 |
| bee  |    22 |

\`\`\`ts
function f(x: number) {

  return \`a
  \${x}\`; // <b> & "q"
}
\`\`\`
text right after
***
~~gone~~ and an ![image](pic.png)

    indented code

<details>
raw
</details>

last line without an end`;

const plain = { lexer: (text: string) => lexer(text), highlighter: new Highlighter(), theme: themeFor(0) };

function split(pieces: readonly string[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let state = emptySplitter;
  for (const piece of pieces) {
    const next = splitBlocks(state, piece);
    state = next.state;
    chunks.push(...next.chunks);
  }
  return [...chunks, ...endBlocks(state)];
}

function draw(chunks: readonly Chunk[], columns = 80): string {
  return chunks
    .flatMap((chunk) => {
      const lines = chunkLines(chunk, { ...plain, columns });
      return lines.length === 0 ? [] : [...(chunk.gap ? [""] : []), ...lines];
    })
    .join("\n");
}

function cutAtRandom(text: string, random: ReturnType<typeof seededRandom>): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + random.below(random.pick([2, 9, 60]));
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

describe("lines that a model broke in a list", () => {
  test.each([
    ["- a\n  b\n  c", ["• a", "  b", "  c"]],
    ["- a\nb\n c", ["• a", "  b", "  c"]],
    ["- a\n    b\n\tc", ["• a", "  b", "  c"]],
    ["1. **a** \n b\n   c", ["1. a", "   b", "   c"]],
  ])("%j stay, all at the indent of their item", (text, lines) => {
    const theme = themeFor(1);
    const drawn = chunkLines(
      { kind: "markdown", gap: false, text },
      { lexer, highlighter: new Highlighter(), theme, columns: 40 },
    );
    expect(drawn.map(stripAnsi)).toEqual(lines);
  });
});

test("an address that a window holds is never cut, though prose is kept narrower", () => {
  const address = `https://example.com/${"a".repeat(90)}`;
  const context = { lexer, highlighter: new Highlighter(), theme: themeFor(0), columns: 118 };
  for (const text of [`See ${address} for more.`, `- see ${address}`, `> see ${address}`, `**see** <${address}>`]) {
    expect(chunkLines({ kind: "markdown", gap: false, text }, context).join("\n")).toContain(address);
  }
});

test("prose, lists, quotes and tables are at most 110 columns wide in a wide window, code takes all of it", () => {
  const words = "word ".repeat(80).trim();
  const cells = `| a | b |\n|---|---|\n| ${words} | ${words} |`;
  const widest = (text: string) =>
    Math.max(
      ...split([text])
        .flatMap((chunk) => chunkLines(chunk, { ...plain, columns: 200 }))
        .map(textWidth),
    );
  for (const text of [words, `- ${words}\n  - ${words}`, `> ${words}`, `# ${words}`, cells]) {
    expect(widest(text)).toBeLessThanOrEqual(110);
    expect(widest(text)).toBeGreaterThan(100);
  }
  expect(widest(`\`\`\`\n${"x".repeat(190)}\n\`\`\``)).toBe(192);
});

describe("splitting a stream into blocks", () => {
  test("drawing the pieces is drawing the whole", () => {
    expect(draw(split([DOCUMENT]))).toBe(
      blockLines(lexer(DOCUMENT), { ...plain, columns: 80, textColumns: 80 }).join("\n"),
    );
  });

  test("gives the same chunks however the text is cut", () => {
    const whole = split([DOCUMENT]);
    expect(split([...DOCUMENT])).toEqual(whole);
    for (let seed = 1; seed <= 60; seed += 1) expect(split(cutAtRandom(DOCUMENT, seededRandom(seed)))).toEqual(whole);
  });

  testOrDeep(!isDeep)("gives the same chunks however any mix of lines is cut", () => {
    const lines = [
      "",
      "",
      "text",
      "- item",
      "  more",
      "1. num",
      "```",
      "```js",
      "~~~",
      "# h",
      "> q",
      "| a | b |",
      "|---|---|",
    ];
    lines.push(
      "    deep",
      "---",
      "***",
      "* star",
      `${"long ".repeat(1_000)}`,
      "x".repeat(9_000),
      "end\r",
      "👨‍👩‍👧‍👦".repeat(900),
    );
    for (let seed = 1; seed <= (isDeep ? 150 : 50); seed += 1) {
      const random = seededRandom(seed);
      const text = Array.from({ length: 30 }, () => random.pick(lines)).join("\n");
      const whole = split([text]);
      expect(split(cutAtRandom(text, random))).toEqual(whole);
      const words = (value: string) => value.replace(/[^a-z👨]/gu, "");
      const kept = whole.map((chunk) => (chunk.kind === "code" ? chunk.lines.join("\n") : chunk.text)).join("\n");
      // Nothing is lost but the fences and their languages; long tables repeat their heads.
      expect(words(kept).length).toBeGreaterThanOrEqual(words(text.replaceAll("```js", "")).length);
    }
  });

  test("the open block stays small for any input", () => {
    for (const text of [
      "x".repeat(100_000),
      "word ".repeat(20_000),
      `\`\`\`\n${"y".repeat(50_000)}`,
      "a\n".repeat(20_000),
    ]) {
      let state = emptySplitter;
      for (let at = 0; at < text.length; at += 37) {
        state = splitBlocks(state, text.slice(at, at + 37)).state;
        expect(openLength(state)).toBeLessThan(10_000);
      }
    }
  });

  test("a long table keeps its head in every piece", () => {
    const rows = Array.from({ length: 200 }, (_, at) => `| r${at} | ${at} |`);
    const chunks = split([["| name | n |", "|---|--:|", ...rows, "", "after"].join("\n")]);
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks.slice(0, -1)) expect(draw([chunk])).toMatch(/^\n?name +n\n─/);
    for (const row of ["r0", "r79", "r80", "r199"]) expect(draw(chunks)).toContain(row);
  });

  test("a table that ends where it was cut leaves no empty head", () => {
    const rows = Array.from({ length: 78 }, (_, at) => `| r${at} | ${at} |`);
    const chunks = split([["| name | n |", "|---|--:|", ...rows, "", "after"].join("\n")]);
    expect(chunks.map(({ kind }) => kind)).toEqual(["markdown", "markdown"]);
  });

  test("a long code block comes in pieces without gaps, a list item by item", () => {
    const code = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    expect(split([["```py", ...code, "```"].join("\n")])).toEqual([
      { kind: "code", gap: false, language: "py", lines: code.slice(0, 16) },
      { kind: "code", gap: false, language: "py", lines: code.slice(16, 32) },
      { kind: "code", gap: false, language: "py", lines: code.slice(32) },
    ]);
    expect(split(["1. a\n1. b\n\n1. c\n"])).toEqual([
      { kind: "markdown", gap: false, text: "1. a", ordinal: 1 },
      { kind: "markdown", gap: false, text: "1. b", ordinal: 2 },
      { kind: "markdown", gap: false, text: "1. c", ordinal: 3 },
    ]);
  });

  test("the open tail can be drawn before it is complete", () => {
    const { state, chunks } = splitBlocks(emptySplitter, "done\n\nstill op");
    expect(chunks).toEqual([{ kind: "markdown", gap: false, text: "done" }]);
    expect(openChunk(state)).toEqual({ kind: "markdown", gap: true, text: "still op" });
  });

  test.each(["`", "``", "```", "  ```"])(
    "the open tail of a code block holds no `%s` that may end the block",
    (signs) => {
      const { state } = splitBlocks(emptySplitter, `\`\`\`ts\nreturn;\n${signs}`);
      expect(openChunk(state)).toMatchObject({ kind: "code", lines: ["return;"] });
    },
  );

  test("two hundred thousand deltas are split before the test's time is up: a square of them would take minutes", () => {
    let state = emptySplitter;
    const settled: string[] = [];
    for (let at = 0; at < 200_000; at += 1) {
      const split = splitBlocks(state, at % 9 === 0 ? "some words\n" : "and more ");
      state = split.state;
      for (const chunk of split.chunks) settled.push(JSON.stringify(chunk));
    }
    const open = JSON.stringify(openChunk(state));
    expect([...settled, open].join("").match(/and more/g)).toHaveLength(200_000 - Math.ceil(200_000 / 9));
  });
});

describe("drawing Markdown", () => {
  test.each([40, 80, 120])("at %d columns", (columns) => {
    const lines = draw(split([DOCUMENT]), columns);
    expect(lines).toMatchSnapshot();
    for (const line of lines.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  });

  test("numbering continues across the items", () => {
    expect(draw(split(["1. a\n1. b\n1. c"]))).toBe("1. a\n2. b\n3. c");
    expect(draw(split(["9. a\n10. b"]))).toBe("9. a\n10. b");
  });

  test("a box stands in the place of a bullet, and behind a number, and longer text below the first word", () => {
    const text = (mark: string) => `${mark} words that need another row`;
    expect(draw(split([text("- [ ]")]), 20).split("\n")).toEqual(["☐ words that need", "  another row"]);
    expect(draw(split([text("1. [x]")]), 20).split("\n")).toEqual(["1. ☑ words that need", "     another row"]);
  });

  test("what a model indents by three columns below the tenth item belongs to that item", () => {
    const item = (at: number) => `${at}. Step ${at}\n   - bullet\n   1. sub\n      more\n`;
    const top = draw(split([[8, 9, 10, 11].map(item).join("")]));
    expect(top.split("\n").slice(-8)).toEqual([
      ...["10. Step 10", "    ◦ bullet", "    1. sub", "       more"],
      ...["11. Step 11", "    ◦ bullet", "    1. sub", "       more"],
    ]);
    const inner = Array.from({ length: 10 }, (_, at) => `  ${at + 1}. step\n     - deep`).join("\n");
    const nested = draw(split([`- outer\n${inner}\n\n     text`]));
    expect(nested.split("\n").slice(-6)).toEqual([
      ...["   9. step", "      ▪ deep", "  10. step", "      ▪ deep", "", "      text"],
    ]);
    const right = "10. ten\n    - bullet\n\n    text\n";
    expect(draw(split([right]))).toBe("10. ten\n    ◦ bullet\n\n    text");
    const code = "- a\n  ```\n  10. x\n     y\n  ```";
    expect(draw(split([code]))).toContain("10. x\n       y");
  });

  test("a link shows where it really goes", () => {
    expect(draw(split(["[https://bank.example](https://evil.example)"]))).toBe(
      "https://bank.example (https://evil.example)",
    );
  });

  test("a narrow table is shown row by row", () => {
    expect(draw(split(["| first | second | third |\n|---|---|---|\n| alpha beta | gamma delta | epsilon |"]), 16)).toBe(
      "first: alpha\nbeta\nsecond: gamma\ndelta\nthird: epsilon",
    );
  });

  test("code is coloured by its grammar once that is loaded, and its text is untouched", async () => {
    const highlighter = new Highlighter();
    const code = ["const a = `x", `$${"{1}"}\`; // <b> & "q" 'r'`];
    expect(highlighter.isReady("ts")).toBe(false);
    expect(highlighter.lines(code, "ts", themeFor(1))).toEqual(code);
    await highlighter.load("ts");
    expect(highlighter.isReady("ts")).toBe(true);
    const lines = highlighter.lines(code, "ts", themeFor(1));
    expect(lines.map(stripAnsi)).toEqual(code);
    expect(lines[0]).toContain("\u001b[1mconst\u001b[22m");
    expect(highlighter.isReady("no-such-language")).toBe(true);
  });

  test("colour in text costs no column", () => {
    const lines = chunkLines(
      { kind: "markdown", gap: false, text: `**${"bold ".repeat(30)}**` },
      { ...plain, theme: themeFor(3), columns: 30 },
    );
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(30);
  });

  test("a model's text can't control the terminal", () => {
    const evil =
      "a\u001b]0;owned\u0007b \u001b[2J `c\u001b[31m` \u202eabc\n\n```\n\u001b[H\u009b2Jcode\n```\n\n| \u001b[5m |\n|---|\n| \u0007 |";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point.
    expect(draw(split([evil]))).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
