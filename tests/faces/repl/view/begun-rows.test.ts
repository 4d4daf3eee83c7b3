import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import type { EngineEvent } from "../../../../src/contracts/event.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import { emptyUi } from "../../../../src/faces/repl/layers/ui-state.ts";
import { ReplScreen, type Size } from "../../../../src/faces/repl/repl-screen-state.ts";
import { printedLines } from "../../../../src/faces/repl/terminal/early-frame.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { endText, reduce } from "../../../../src/protocol/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../../../../src/protocol/transcript/transcript.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const theme = themeFor(3);
const ENGINE = { mode: "default", model: "m", usage: NO_USAGE, costUsd: 0, usedTokens: 0, windowTokens: 9 } as const;

/** The screen that an answer streams to. The text may arrive in any pieces, and the window may change meanwhile. */
class Streamed {
  transcript: Transcript = emptyTranscript;
  readonly #screen: ReplScreen;

  constructor(size: Size) {
    this.#screen = new ReplScreen(size, () => undefined);
  }

  async ready(): Promise<this> {
    for (const language of ["", "ts"])
      await this.#screen.markdown.load({ kind: "code", gap: false, language, lines: [] });
    return this;
  }

  set size(size: Size) {
    this.#screen.size = size;
    this.#draw();
  }

  add(text: string): void {
    this.event({ type: "text_delta", text });
  }

  event(event: EngineEvent, nowMs = 0): void {
    this.transcript = reduce(this.transcript, event, nowMs);
    this.#draw();
  }

  end(): void {
    this.transcript = endText(this.transcript);
    this.#draw();
  }

  #draw(): void {
    this.#screen.draw(this.transcript, {
      ...{ theme, engine: ENGINE, ui: emptyUi, layers: [], folder: "shop", branch: "main", hint: undefined, nowMs: 0 },
      ...{ transcript: this.transcript, isBusy: true, isAsked: false },
    });
  }

  get printed(): readonly string[] {
    return printedLines(this.#screen.snapshot).map(stripAnsi);
  }

  /** The terminal moved the first rows of the frame into its history. @returns what it has of them. */
  moveRows(widths: readonly number[], shown = this.#screen.frame.lines): readonly string[] {
    const others = this.#screen.moved(widths, shown);
    const moved = shown.slice(0, widths.length - others.length).map(stripAnsi);
    return moved.map((row, at) => row.slice(0, widths[at]));
  }

  /** The rows of the answer in the frame. */
  get open(): readonly string[] {
    return this.#screen.frame.lines.slice(0, -1).map(stripAnsi);
  }
}

const streamed = (columns: number, rows = 24) => new Streamed({ columns, rows }).ready();

/** An answer as it is printed when it comes in one piece. */
async function printedWhole(text: string, columns: number): Promise<readonly string[]> {
  const screen = await streamed(columns);
  screen.add(text);
  screen.end();
  return screen.printed;
}

const signs = (rows: readonly string[]) => rows.join("").replace(/[\s│]+/g, "");

const PARAGRAPH = Array.from({ length: 120 }, (_, at) => `word${at}`);

test("a long paragraph is printed while it streams: only its last rows are drawn again, and none is folded", async () => {
  const screen = await streamed(40);
  for (const word of PARAGRAPH) {
    screen.add(`${word} `);
    expect(screen.open.length).toBeLessThanOrEqual(8);
    expect(
      [...screen.printed, ...screen.open]
        .join(" ")
        .match(/word\d+/g)
        ?.at(-1),
    ).toBe(word);
    expect(screen.open.join()).not.toContain("above");
  }
  expect(screen.printed.length).toBeGreaterThan(15);
  screen.end();
  expect(screen.printed).toEqual(await printedWhole(PARAGRAPH.join(" "), 40));
});

test.each([30, 73])(
  "a window that gets %d columns while a paragraph streams has each word once, in order",
  async (columns) => {
    const screen = await streamed(40);
    for (const [at, word] of PARAGRAPH.entries()) {
      screen.add(`${word} `);
      if (at === 60) screen.size = { columns, rows: 24 };
    }
    screen.end();
    expect(signs(screen.printed)).toBe(`●${PARAGRAPH.join("")}`);
  },
);

test("rows that a lower window moves into the history count as printed, a row that is moved in part up to its last whole word", async () => {
  const screen = await streamed(40);
  for (const word of PARAGRAPH.slice(0, 64)) screen.add(`${word} `);
  const [first = "", second = ""] = screen.open;
  expect(screen.open.length).toBeGreaterThan(2);
  const moved = screen.moveRows([first.length, second.indexOf(" word", 8) + 4]);
  expect(moved).toHaveLength(2);
  const printed = screen.printed;
  screen.size = { columns: 40, rows: 10 };
  for (const word of PARAGRAPH.slice(64)) screen.add(`${word} `);
  screen.end();
  const all = [...printed, first, second.slice(0, second.indexOf(" word", 8)), ...screen.printed.slice(printed.length)];
  expect(signs(all)).toBe(`●${PARAGRAPH.join("")}`);
});

test("rows that went into the history are printed again where it is not certain what they are", async () => {
  const screen = await streamed(40);
  for (const word of ["some", "**bold", ...PARAGRAPH.slice(0, 20)]) screen.add(`${word} `);
  expect(screen.moveRows([10, 10])).toEqual([]);
  const other = await streamed(40);
  for (const word of PARAGRAPH.slice(0, 64)) other.add(`${word} `);
  expect(other.moveRows([38], ["  another row", ...other.open])).toEqual([]);
});

test("in a window that became wider, rows of the paragraph are printed as before", async () => {
  const screen = await streamed(30);
  for (const word of PARAGRAPH) screen.add(`${word} `);
  screen.size = { columns: 120, rows: 24 };
  const before = screen.printed.length;
  for (let at = 0; at < 400; at += 1) {
    screen.add(`more${at} `);
    expect(screen.open.join()).not.toContain("above");
  }
  expect(screen.printed.length).toBeGreaterThan(before + 15);
});

test("an answer that breaks off keeps its printed rows, and the one that follows is whole", async () => {
  const screen = await streamed(40);
  screen.add(PARAGRAPH.join(" "));
  for (const word of PARAGRAPH) screen.add(` ${word}`);
  const before = screen.printed;
  expect(before.length).toBeGreaterThan(15);
  screen.event({ type: "restarted", reason: "overloaded" });
  screen.add(PARAGRAPH.join(" "));
  screen.end();
  expect(screen.printed.slice(0, before.length)).toEqual([...before]);
  expect(signs(screen.printed.slice(before.length))).toContain(`overloaded.●${PARAGRAPH.join("")}`);
});

test("a call that ends while text streams stands between the rows of the text, which are there once", async () => {
  const screen = await streamed(40);
  const use = { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } } as const;
  screen.event({ type: "tool_started", use, title: "ls", level: "execute" });
  for (const word of PARAGRAPH.slice(0, 60)) screen.add(`${word} `);
  const before = screen.printed;
  expect(signs([...before])).toContain("word20");
  const result = { type: "tool_result", toolUseId: "t", content: "a", isError: false } as const;
  screen.event({ type: "tool_finished", result, durationMs: 1 });
  for (const word of PARAGRAPH.slice(60)) screen.add(`${word} `);
  screen.end();
  const words: readonly string[] = screen.printed.join(" ").match(/word\d+/g) ?? [];
  expect(words).toEqual([...PARAGRAPH]);
  expect(screen.printed.slice(0, before.length)).toEqual([...before]);
});

test("thinking that ends with a call while text streams stands between the rows of the text, which are there once", async () => {
  const screen = await streamed(40);
  const use = { type: "tool_use", id: "t", name: "Read", input: { file_path: "a" } } as const;
  screen.event({ type: "tool_started", use, title: "a", level: "read" });
  for (const word of PARAGRAPH.slice(0, 60)) screen.add(`${word} `);
  screen.event({ type: "thinking_delta", text: "is that so?" });
  const result = { type: "tool_result", toolUseId: "t", content: "a", isError: false } as const;
  screen.event({ type: "tool_finished", result, durationMs: 1 });
  for (const word of PARAGRAPH.slice(60)) screen.event({ type: "text_delta", text: `${word} ` }, 2_000);
  screen.end();
  const words: readonly string[] = screen.printed.join(" ").match(/word\d+/g) ?? [];
  expect(words).toEqual([...PARAGRAPH]);
  expect(screen.printed.join(" ")).toContain("thought for 2");
});

test("emphasis before a sign of punctuation is not taken for complete", async () => {
  const answer = `这是**“重要”**的内容${"文字内容".repeat(80)}**第二**完`;
  const screen = await streamed(40);
  for (const sign of answer) screen.add(sign);
  screen.end();
  expect(screen.printed).toEqual([...(await printedWhole(answer, 40))]);
});

test.each(["> ", "- ", "> text\n> - "])(
  "a fence behind %j, which the text ends that follows, begins no code in it",
  async (begin) => {
    const words = "word ".repeat(60);
    const answer = `${begin}\`\`\`\n> code\nand *${words}\`\`\` ${words}end* is it.`;
    const screen = await streamed(40);
    for (const word of answer.split(/(?<= )/)) screen.add(word);
    screen.end();
    expect(screen.printed).toEqual([...(await printedWhole(answer, 40))]);
  },
);

test.each(["> ", "- "])("a name in brackets behind %j may become a link until its paragraphs end", async (begin) => {
  const blank = begin.trim() === ">" ? ">\n> " : "\n  ";
  const answer = `${begin}see [docs] ${"word ".repeat(60)}\n${blank}[docs]: https://example.com\n`;
  const screen = await streamed(40);
  for (const word of answer.split(/(?<= )/)) screen.add(word);
  screen.end();
  expect(screen.printed).toEqual([...(await printedWhole(answer, 40))]);
});

test("text without blanks is printed while it streams too", async () => {
  const screen = await streamed(40);
  for (let at = 0; at < 200; at += 1) screen.add("文字");
  expect(screen.printed.length).toBeGreaterThan(10);
});

test.each([
  ["emphasis", "some words that fill the row **bold until "],
  ["code", "some words that fill the row `code until "],
  ["a link", "some words that fill the row [a link to "],
  ["a table", "a | b or more words that fill the row, and still "],
])("a row that may become a part of %s is not printed before that is decided", async (_, begin) => {
  const screen = await streamed(40);
  screen.add(begin + "word ".repeat(40));
  expect(signs(screen.printed)).not.toContain("until");
  expect(signs(screen.printed)).not.toContain("linkto");
  expect(signs(screen.printed)).not.toContain("more");
});

const WORDS = [
  ...["**“重要”**的内容", "*“x”*y", "**a.**b", "*a **b* c**", "a[*p] q*", "]", "“", ".", "文字内容文字内容", "[x] and"],
  ...[
    "plain",
    "snake_case",
    "2 * 3",
    "a*b",
    "**bold**",
    "*em*",
    "_em_",
    "***both***",
    "`code`",
    "``a ` b``",
    "~~gone~~",
  ],
  ...["[link](https://example.com/x)", "[x]", "[x]: y", "https://example.com/long/path?a=b&c=d", "&amp;", "&", "a\\*b"],
  ...[
    "**two words**",
    "`two words`",
    "**`code` in bold**",
    "![image](pic.png)",
    "<b>",
    "<",
    "src/faces/repl/view.ts:12",
  ],
  ...[
    "日本語の文章",
    "👨‍👩‍👧‍👦",
    "**",
    "*",
    "`",
    "_",
    "[",
    "](",
    "|",
    "---",
    "===",
    "> q",
    "# h",
    "\\",
    "  \n",
    "é".repeat(9),
  ],
];
const STARTS = [
  "",
  "",
  "",
  "- ",
  "1. ",
  "> ",
  "## ",
  "  - ",
  "```ts\n",
  "| a | b |\n|---|---|\n| ",
  "    ",
  "* ",
  "2) ",
];

function randomAnswer(random: ReturnType<typeof seededRandom>): string {
  const block = () => {
    const start = random.pick(STARTS);
    const lines = Array.from({ length: 1 + random.below(4) }, () =>
      random.some(30, () => (random.chance(0.6) ? "word" : random.pick(WORDS))).join(" "),
    );
    return start + lines.join("\n") + (start.startsWith("```") ? "\n```" : "");
  };
  return random.some(6, block).join(random.pick(["\n\n", "\n\n", "\n"]));
}

seededTest(
  "an answer in any pieces is printed as if it came in one",
  { seed: 20260130, cases: { quick: 10, deep: 600 } },
  async (seed, cases) => {
    const random = seededRandom(seed);
    for (let at = 0; at < cases; at += 1) {
      const answer = randomAnswer(random);
      const columns = 22 + random.below(100);
      const screen = await streamed(columns);
      for (let from = 0; from < answer.length; ) {
        const end = from + 1 + random.below(random.pick([3, 12, 90]));
        screen.add(answer.slice(from, end));
        from = end;
      }
      screen.end();
      expect({ answer, signs: signs(screen.printed) }).toEqual({
        answer,
        signs: signs(await printedWhole(answer, columns)),
      });
    }
  },
);
