import { describe, expect, test } from "bun:test";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { ChoiceQuestion } from "../../../../src/contracts/question.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { askedLayer } from "../../../../src/faces/repl/layers/asked-layer.ts";
import type { StackContext } from "../../../../src/faces/repl/layers/layer-stack.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { emptyUi, NO_PREVIEW } from "../../../../src/faces/repl/layers/ui-state.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { choicePreview } from "../../../../src/faces/repl/view/choice-preview.ts";
import { QuestionPreview } from "../../../../src/faces/repl/view/question-preview.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { choiceOf, DATABASE, FEATURES } from "../../../support/choice.ts";
import { seededTest } from "../../../support/deep.ts";
import { pressKeys } from "../../../support/press-keys.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const ESC = "\u001b";
const [DOWN, RIGHT, TAB] = [`${ESC}[B`, `${ESC}[C`, "\t"];
const CONTEXT: StackContext = {
  askedLayer,
  isBusy: true,
  isStopping: false,
  nowMs: 10_000,
  columns: 40,
  commands: [],
  mode: "default",
  modes: ["default"],
  preview: NO_PREVIEW,
  canEdit: false,
  questionCount: 1,
  keymap: DEFAULT_KEYMAP,
};

type Drawing = { readonly columns?: number; readonly rows?: number };

function drawn(
  questions: readonly ChoiceQuestion[],
  keys: readonly string[] = [],
  { columns = 80, rows = 24 }: Drawing = {},
) {
  const { ui } = pressKeys(syncQuestion(emptyUi, [choiceOf(...questions)], 0), CONTEXT, ...keys);
  const theme = themeFor(0);
  const markdown = new MarkdownRenderer();
  const room = { theme, columns, rows, maxRows: rows - 3, markdown, questions: new QuestionPreview() };
  const block = askedLayer(ui, CONTEXT)?.lines(room);
  if (!block) throw new Error("No question is open.");
  return block;
}

const LONG: ChoiceQuestion = {
  ...DATABASE,
  options: DATABASE.options.map((option, at) => ({
    ...option,
    description: "A description of many words that wraps over several lines ".repeat(3).trim(),
    ...(at === 0 && { preview: Array.from({ length: 60 }, (_, line) => `line ${line + 1}`).join("\n") }),
  })),
};

describe.each([40, 80, 120])("at %d columns", (columns) => {
  test.each<[string, readonly ChoiceQuestion[], readonly string[]]>([
    ["a single question", [{ ...DATABASE, options: DATABASE.options.map(({ preview: _, ...rest }) => rest) }], []],
    ["an option with a diff", [DATABASE], [DOWN]],
    ["several choices", [DATABASE, FEATURES], [TAB, "1", "3"]],
    ["own words being typed", [FEATURES], ["d", "ark mode and a second thought that is longer than a row of this box"]],
    ["long descriptions and a long preview", [LONG], []],
    ["the review", [DATABASE, FEATURES], [RIGHT, "1", RIGHT]],
  ])("%s", (_, questions, keys) => {
    const { lines } = drawn(questions, keys, { columns });
    expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
    expect(lines.join("\n")).toMatchSnapshot();
  });
});

test("words that were typed before are cut to a row, and the keys say what they do there", () => {
  const words = "a database that the whole team has used for years and that nobody has to learn anew";
  const { lines } = drawn([DATABASE], [words, "\u001b"]);
  expect(lines.find((line) => line.includes("3 Another"))).toMatch(/❯ 3 Another answer: a database.*… +│/);
  expect(lines.at(-2)).toContain("lets you write");
});

test("the cursor stands behind the typed words", () => {
  const { lines, cursor } = drawn([DATABASE], ["My"]);
  expect(lines[cursor?.y ?? 0]?.slice(0, cursor?.x)).toEndWith("3 Another answer: My");
});

test("the descriptions make room in a low window, and a window that is too small says so", () => {
  const low = drawn([LONG], [], { rows: 16 });
  expect(low.lines.length).toBeLessThanOrEqual(13);
  expect(low.lines.join("\n")).toContain("4 Talk about it instead");
  const small = drawn([LONG], [], { rows: 7 });
  expect([small.preview?.isReadable, small.lines.length]).toEqual([false, 3]);
});

describe("in a small window", () => {
  const SMALL = { columns: 44, rows: 14 };
  const WORDY: ChoiceQuestion = {
    ...DATABASE,
    question: "Which database shall hold the orders of the shop? ".repeat(5).trim(),
    options: ["Postgres", "SQLite", "MySQL", "CockroachDB"].map((label) => ({
      label: `${label} with a label that takes two rows here`,
      description: "Much is to be said about it.",
    })),
  };

  test("the question scrolls, and the rows around the marked one are shown", () => {
    const first = drawn([WORDY, FEATURES], [], SMALL);
    expect(first.preview).toMatchObject({ isReadable: true, from: 0 });
    expect(first.preview?.maxScroll).toBeGreaterThan(0);
    expect(first.lines.join("\n")).toMatchSnapshot();
    for (const at of [0, 1, 2, 3, 4, 5]) {
      const { lines } = drawn([WORDY, FEATURES], Array(at).fill(DOWN), SMALL);
      expect(lines.length).toBeLessThanOrEqual(11);
      expect(lines.filter((line) => textWidth(line) > 44)).toEqual([]);
      expect(lines.find((line) => line.includes("❯"))).toContain(`❯ ${at + 1} `);
    }
  });

  test("a question that takes at most half of the rows is shown whole", () => {
    const short = {
      ...WORDY,
      question: "Which database shall hold the orders of the shop in CI and on the laptops of all developers, and why?",
    };
    const { lines } = drawn([short], [], SMALL);
    expect(lines.join("\n")).toMatch(/1–2 of 6[\s\S]*Which database[\s\S]*and why\?/);
    expect(lines.join("\n")).not.toContain("PgDn");
  });

  test("the line for own words and the review are shown too", () => {
    const typed = drawn([WORDY, FEATURES], ["My own"], SMALL);
    expect(typed.lines[typed.cursor?.y ?? 0]?.slice(0, typed.cursor?.x)).toEndWith("My own");
    const many = Array.from({ length: 4 }, (_, at) => ({ ...WORDY, header: `Part ${at}` }));
    const review = drawn(
      many,
      many.flatMap(() => ["1", RIGHT]),
      SMALL,
    );
    expect(review.lines.join("\n")).toContain("❯ 1 Send these answers");
    expect(review.preview?.maxScroll).toBeGreaterThan(0);
  });
});

test("an agent's question names the agent", () => {
  const { ui } = pressKeys(syncQuestion(emptyUi, [{ ...choiceOf(DATABASE), agentLabel: "tests" }], 0), CONTEXT);
  const room = { theme: themeFor(0), columns: 80, rows: 24, maxRows: 20, markdown: new MarkdownRenderer() };
  const block = askedLayer(ui, CONTEXT)?.lines({ ...room, questions: new QuestionPreview() });
  expect(block?.lines[0]).toContain("Database · asked by tests");
});

describe("a preview", () => {
  const shown = (preview: string) => choicePreview(preview, { theme: themeFor(1), columns: 20 });
  const colored = (preview: string) => shown(preview).some((line) => line.includes("\u001b[3"));

  test.each([
    ["a diff with a head", "@@ -1,2 +1,2 @@\n-a\n+b", true],
    ["lines that are added and removed", "-a\n+b", true],
    ["a fence of a diff", "```diff\n+b\n```", true],
    ["a list", "- a\n- b", false],
    ["code", "```ts\nconst a = 1;\n```", false],
  ])("of %s is coloured as a diff: %j", (_, preview, isDiff) => {
    expect(colored(preview)).toBe(isDiff);
    expect(shown(preview).join("\n")).not.toContain("```");
  });

  test("of any text controls no terminal and keeps to its columns", () => {
    const lines = shown(`\u001b[2J\u001b]0;x\u0007${"漢字".repeat(30)}\n\tend`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no control may come out.
    expect(lines.join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(lines.filter((line) => textWidth(line) > 20)).toEqual([]);
  });
});

seededTest(
  "any questions keep to the window, whatever the keys",
  { seed: 31, cases: { quick: 60, deep: 2_000 } },
  (seed, rounds) => {
    const random = seededRandom(seed);
    const text = (most: number) =>
      Array.from({ length: 1 + random.below(most) }, () => random.pick(["word", "漢字", "x".repeat(40), "a\nb"])).join(
        " ",
      );
    const KEYS = ["1", "2", "7", "\r", " ", DOWN, RIGHT, TAB, ESC, "w", "é 漢"];
    for (let round = 0; round < rounds; round += 1) {
      const questions = Array.from({ length: 1 + random.below(4) }, (_, at) => ({
        question: `${at} ${text(20)}`,
        header: `H${at}`,
        isMultiple: random.chance(0.5),
        options: Array.from({ length: 2 + random.below(3) }, (__, index) => ({
          label: `${index} ${text(4).replaceAll("\n", " ")}`,
          description: random.chance(0.6) ? text(20) : "",
          ...(random.chance(0.4) && { preview: text(80) }),
        })),
      }));
      const columns = 20 + random.below(120);
      const rows = 6 + random.below(40);
      const { lines } = drawn(
        questions,
        random.some(8, () => random.pick(KEYS)),
        { columns, rows },
      );
      expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
      expect(lines.length).toBeLessThanOrEqual(Math.max(3, rows - 3));
    }
  },
);
