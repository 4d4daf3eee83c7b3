import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { configCommand } from "../../../../src/commands/config.ts";
import { effortCommand } from "../../../../src/commands/effort.ts";
import { loginCommand } from "../../../../src/commands/login.ts";
import { modelCommand } from "../../../../src/commands/model.ts";
import { permissionsCommand } from "../../../../src/commands/permissions.ts";
import { resumeCommand } from "../../../../src/commands/resume.ts";
import { statusCommand } from "../../../../src/commands/status.ts";
import { themeCommand } from "../../../../src/commands/theme.ts";
import { AUTO_PALETTES } from "../../../../src/contracts/auto-palettes.ts";
import type { Command } from "../../../../src/contracts/command.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import type { Block, Room } from "../../../../src/faces/repl/layers/layer.ts";
import { openPicker } from "../../../../src/faces/repl/layers/picker.ts";
import { approvalQuestion, trustQuestion } from "../../../../src/faces/repl/layers/start-questions.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { trustLines } from "../../../../src/faces/repl/layers/trust-layer.ts";
import { emptyTrustState } from "../../../../src/faces/repl/layers/trust-state.ts";
import { emptyUi } from "../../../../src/faces/repl/layers/ui-state.ts";
import { viewLines } from "../../../../src/faces/repl/layers/view-layer.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { helpLines } from "../../../../src/faces/repl/view/help-lines.ts";
import { hiddenLines, pickerLines } from "../../../../src/faces/repl/view/picker-lines.ts";
import { questionBlock } from "../../../../src/faces/repl/view/question-box.tsx";
import { QuestionPreview } from "../../../../src/faces/repl/view/question-preview.ts";
import { terminalTheme, themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { DIALOG_CONTEXT } from "../../../support/dialog-context.ts";
import { dialogOf, questionOf } from "../../../support/question.ts";

const markdown = new MarkdownRenderer();
await markdown.warm();
const { signal } = new AbortController();

type Dialog = {
  /** In full in the first rows. */
  readonly title: string;
  /** In the last rows. */
  readonly hint?: string;
  /** The beginning of the marked row. */
  readonly marked?: string;
  /** On a screen of its own. */
  readonly isWhole?: true;
  /** A question, which leaves two fifths of the window to the conversation. */
  readonly isQuestion?: true;
  draw(room: Room): Block;
};

async function listed(command: Command, marked: string): Promise<Dialog> {
  const result = await command.run("", DIALOG_CONTEXT, signal);
  if (result.kind !== "choose") throw new Error(result.kind);
  const { title } = result;
  return { title, hint: "esc", marked, draw: (room) => pickerLines(openPicker(result), room) };
}

async function viewed(command: Command): Promise<Dialog> {
  const result = await command.run("", DIALOG_CONTEXT, signal);
  if (result.kind !== "view") throw new Error(result.kind);
  const { title, lines } = result;
  return {
    title,
    hint: "esc",
    draw: (room) => viewLines({ title, lines, scroll: 0 }, { nowMs: 0, end: undefined }, room),
  };
}

const HUNK = {
  ...{ oldStart: 1, newStart: 1 },
  lines: Array.from({ length: 60 }, (_, at) => ({
    kind: at % 9 === 4 ? ("added" as const) : ("same" as const),
    text: `価格 ${at} ${"x".repeat(90)}`,
  })),
};
const QUESTION = questionOf({
  toolName: "Edit",
  title: "Change this file?",
  reason: "no rule covers Edit(src/cart.ts)",
  preview: { kind: "diff", path: "src/cart.ts", isNew: false, hunks: [HUNK] },
});

function asked(question: ReturnType<typeof questionOf>): Dialog {
  const asking = dialogOf(syncQuestion(emptyUi, [question], 0));
  if (!asking) throw new Error("There is no question.");
  const questions = new QuestionPreview();
  return {
    ...{ title: question.title, marked: "1", isQuestion: true },
    draw: (room) => questionBlock({ asking, count: 1, canEdit: true, draft: "" }, { ...room, questions }),
  };
}

const STARTS = [
  trustQuestion({ root: "/home/someone/src/shop", reasons: [], items: [] }),
  approvalQuestion({
    root: "/home/someone/src/shop",
    reasons: Array(40).fill("starts a program ".repeat(5)),
    items: [],
    hasChangedHook: false,
  }),
];
const [TRUST, APPROVAL] = STARTS.map(
  (question): Dialog => ({
    ...{ title: question.title, marked: question.noKey, hint: "esc Leave", isWhole: true },
    draw: (room) => trustLines(question, emptyTrustState(question, 0), room),
  }),
);

const DIALOGS: readonly (readonly [string, Dialog | undefined])[] = [
  ["model", await listed(modelCommand, "model-with-a-name-7")],
  ["resume", await listed(resumeCommand, "修正")],
  ["config", await listed(configCommand, "group0.")],
  ["permissions", await listed(permissionsCommand, "add a rule")],
  ["theme", await listed(themeCommand, "auto")],
  ["effort", await listed(effortCommand, "medium")],
  ["login", await listed(loginCommand, "provider-0")],
  [
    "key",
    {
      title: "Key for anthropic (not shown)",
      hint: "esc",
      draw: (room) => hiddenLines({ title: "Key for anthropic", text: "secret" }, room),
    },
  ],
  ["status", await viewed(statusCommand)],
  ["keys", { title: "", draw: (room) => ({ lines: helpLines(DEFAULT_KEYMAP, 0, room) }) }],
  ["question", asked(QUESTION)],
  ["trust", TRUST],
  ["approval", APPROVAL],
];

/** The rows of the conversation above a list. */
const CONTEXT_ROWS = 4;
const COLORED = { colorLevel: 3 } as const;
const LOOKS = [
  ["dark", terminalTheme(COLORED, AUTO_PALETTES.dark)],
  ["light", terminalTheme(COLORED, AUTO_PALETTES.light)],
  ["NO_COLOR", themeFor(0, true)],
] as const;
const SIZES = [
  [40, 24],
  [80, 24],
  [120, 40],
] as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences.
const COLOR = /\u001b\[(?:[34]8;|[34][0-7]m|9[0-7]m)/;

describe.each(DIALOGS)("the dialog %s", (_, dialog) => {
  test.each(LOOKS)("fits and can be used, %s", (look, theme) => {
    if (!dialog) throw new Error("There is no such dialog.");
    for (const [columns, rows] of SIZES) {
      const room = { theme, columns, rows, maxRows: rows - 2, markdown, questions: new QuestionPreview() };
      const { lines } = dialog.draw(room);
      const texts = lines.map((line) => stripAnsi(line));
      const where = `${columns}×${rows}`;
      expect([where, ...lines.filter((line) => textWidth(line) > columns)]).toEqual([where]);
      const most = dialog.isWhole ? rows - 1 : dialog.isQuestion ? Math.floor(rows * 0.6) : rows - CONTEXT_ROWS - 2;
      expect(lines.length).toBeLessThanOrEqual(most);
      expect(texts.slice(0, 2).join("\n")).toContain(dialog.title);
      if (dialog.hint !== undefined) expect(texts.slice(-4).join("\n")).toContain(dialog.hint);
      const marks = texts.flatMap((text) => /❯ (.*)/.exec(text)?.[1] ?? []);
      if (dialog.marked !== undefined)
        expect(marks.filter((mark) => mark.startsWith(dialog.marked ?? ""))).toHaveLength(1);
      if (look === "NO_COLOR") expect(lines.join("")).not.toMatch(COLOR);
      else if (dialog.title !== "") expect(lines.join("")).toMatch(COLOR);
    }
  });
});

test("the levels of effort stand in a row, and in a list where the window is too narrow", async () => {
  const { draw } = await listed(effortCommand, "medium");
  const room = { theme: themeFor(0), rows: 24, maxRows: 22, markdown, questions: new QuestionPreview() };
  const linesAt = (columns: number) => draw({ ...room, columns }).lines.map((line) => stripAnsi(line));
  expect(linesAt(80)[2]).toMatch(/^ {2}default ── low ── ❯ medium ── high ── max +in use$/);
  expect(linesAt(40)[2]).toMatch(/^ {2}default ─ low ─ ❯ medium ─ high ─ max$/);
  expect(linesAt(30).filter((line) => /^[❯ ] /.test(line))).toHaveLength(6);
});

test("where the answers of a question about trust leave few rows, the rest can be read, and the key for it is named", () => {
  const [trust] = STARTS;
  if (!trust) throw new Error("There is no question.");
  const drawn = trustLines(trust, emptyTrustState(trust, 0), { theme: themeFor(0), columns: 40, rows: 15 });
  expect(drawn.lines.join("\n")).toMatch(/of \d+ · PgDn/);
  expect(drawn.preview.maxScroll).toBeGreaterThan(0);
});
