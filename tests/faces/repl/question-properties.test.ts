import { describe, expect } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { DiffHunk, Preview } from "../../../src/contracts/display.ts";
import type { DialogBody, DialogQuestion, Reply } from "../../../src/contracts/question.ts";
import { decodeKeys, emptyDecoder, flushKeys, type KeyEvent } from "../../../src/faces/repl/input/decode-keys.ts";
import { DEFAULT_KEYMAP } from "../../../src/faces/repl/keymap/keymap.ts";
import { askedLayer } from "../../../src/faces/repl/layers/asked-layer.ts";
import { handleKey, type StackContext } from "../../../src/faces/repl/layers/layer-stack.ts";
import type { Asking } from "../../../src/faces/repl/layers/open-question.ts";
import { HOLD_MS } from "../../../src/faces/repl/layers/question.ts";
import {
  meansNo,
  meansYes,
  questionOptions,
  selectedChoice,
  typedYes,
  withWords,
} from "../../../src/faces/repl/layers/question-options.ts";
import { syncQuestion } from "../../../src/faces/repl/layers/sync-question.ts";
import { type Effect, emptyUi, type Ui } from "../../../src/faces/repl/layers/ui-state.ts";
import { MarkdownRenderer } from "../../../src/faces/repl/markdown/markdown-renderer.ts";
import { questionBox } from "../../../src/faces/repl/view/question-box.tsx";
import { QuestionPreview } from "../../../src/faces/repl/view/question-preview.ts";
import { themeFor } from "../../../src/faces/repl/view/theme.ts";
import { seededTest } from "../../support/deep.ts";
import { dialogOf, partsOf, type QuestionParts, questionOf } from "../../support/question.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const ESC = "\u001b";
const markdown = new MarkdownRenderer();
await markdown.warm();
const SEED = 7;
const CONSENT =
  "Commands may change and delete files in ~/shop and temporary files, read everything but stored credentials such as ~/.ssh (.env files of projects can be read), and reach no host.";
const CASES = { quick: 2, deep: 200 };
const SCROLLS = { quick: 1, deep: 60 };
const KEYS = [
  ..."123456e an jk yYq +-",
  "\r",
  ESC,
  "\t",
  `${ESC}[Z`,
  `${ESC}[A`,
  `${ESC}[B`,
  `${ESC}[C`,
  `${ESC}[D`,
  `${ESC}[5~`,
  `${ESC}[6~`,
  `${ESC}[H`,
  `${ESC}[F`,
  `${ESC}[200~1\r2${ESC}[201~`,
  "\u0004",
  "11",
  "1\r",
  "- ",
  "use 2 s",
];
const WORDS = [
  "ls -la",
  'eval "$X"',
  "漢字 👨‍👩‍👧‍👦",
  "\u001b[2J",
  "\u202egpj",
  "a\u200bb",
  "\t",
  "x".repeat(90),
  "echo 'it'",
  "&&",
  "\n",
  ";",
];

type Random = ReturnType<typeof seededRandom>;

function somePreview(random: Random): Preview {
  const text = () => random.some(40, () => random.pick(WORDS)).join(" ");
  switch (random.below(3)) {
    case 0:
      return {
        kind: "command",
        command: text(),
        description: random.pick(["", text()]),
        unclear: random.some(2, text),
      };
    case 1: {
      const hunks: readonly DiffHunk[] = random.some(6, () => ({
        oldStart: random.below(2_000) + 1,
        newStart: random.below(2_000) + 1,
        lines: random.some(12, () => ({ kind: random.pick(["same", "added", "removed"] as const), text: text() })),
      }));
      return { kind: "diff", path: text(), isNew: random.chance(0.3), hunks };
    }
    default:
      return { kind: "text", text: text(), ...(random.chance(0.5) && { file: "/plans/one.md" }) };
  }
}

function someQuestion(random: Random): QuestionParts {
  const preview = somePreview(random);
  // Plans and credentials are asked about in words.
  const kinds = preview.kind === "text" ? (["permission", "plan", "credential"] as const) : (["permission"] as const);
  const rules = () => random.some(5, () => `Bash(${random.pick(WORDS)} *)`);
  return {
    id: `q${random.below(1_000_000)}`,
    agentId: "main",
    parentAgentId: null,
    kind: random.pick<DialogBody["kind"]>(kinds),
    toolUseId: "t",
    toolName: "Bash",
    title: random.pick(["Run this command?", "x".repeat(200), "\u001b[2Jowned?"]),
    preview,
    reason: random.pick(["no rule covers it", "long ".repeat(80), "the mode\nasks \u202e"]),
    hazards: random.some(7, () =>
      random.pick(["deletes files: dist/", "publishes a package ".repeat(9), "\u001b]0;x\u0007"]),
    ),
    suggestions: rules(),
    sessionRules: rules(),
    ...(preview.kind === "command" && random.chance(0.5) && { consent: CONSENT }),
    ...(random.chance(0.5) &&
      random.pick([
        { confinement: "outside the sandbox", isOutside: true },
        { confinement: "in the sandbox" },
      ] as const)),
  };
}

type Size = { readonly columns: number; readonly maxRows: number };

function drawn(asking: Asking, { columns, maxRows }: Size) {
  const style = { theme: themeFor(0), columns, rows: maxRows + 2, maxRows, markdown, questions: new QuestionPreview() };
  return questionBox({ asking, count: 2, canEdit: true }, style);
}

function contextOf(ui: Ui, size: Size, nowMs: number): StackContext {
  const open = dialogOf(ui);
  const preview = open
    ? drawn(open, size).preview
    : { from: 0, maxScroll: 0, rows: 1, anchors: [], isReadable: true, isSeen: true };
  const modes = ["default", "plan"] as const;
  return {
    askedLayer,
    isBusy: true,
    isStopping: false,
    nowMs,
    columns: 40,
    commands: [],
    mode: "default",
    modes,
    preview,
    canEdit: true,
    questionCount: 1,
    keymap: DEFAULT_KEYMAP,
  };
}

function press(ui: Ui, piece: string, size: Size, nowMs: number): { ui: Ui; effects: readonly Effect[] } {
  const { events, decoder } = decodeKeys(emptyDecoder, piece);
  const effects: Effect[] = [];
  let now = ui;
  for (const event of [...events, ...flushKeys(decoder).events]) {
    const handled = handleKey(now, event as KeyEvent, contextOf(now, size, nowMs));
    now = handled.ui;
    effects.push(...handled.effects);
    // The engine takes the question away with its answer.
    if (handled.effects.some(({ type }) => type === "answer")) now = syncQuestion(now, [], nowMs);
  }
  return { ui: now, effects };
}

function isSameGrant(one: Reply, other: Reply): boolean {
  if (one.decision === "session") return other.decision === "session" && one.isNarrow === other.isNarrow;
  return one.decision !== "confined" || (other.decision === "confined" && one.lasts === other.lasts);
}

/** Checks the rules for an answer, for any keys that led to it. */
function checkReply(reply: Reply, piece: string, before: Asking, isSeen: boolean): void {
  const { marks } = before;
  const question = partsOf(before.question);
  const isPlan = question.kind === "plan";
  if (reply.decision === "reject") return;
  // Taking none of the hunks is a no.
  if (reply.decision === "once" && reply.hunks?.length === 0) {
    expect(marks?.left.size).toBe(marks?.count ?? -1);
    return;
  }
  // A yes is the one key that says so, or Enter on the answer that is marked.
  const option = questionOptions(before).find(
    (one) => typeof one.reply === "object" && one.reply.decision === reply.decision && isSameGrant(one.reply, reply),
  );
  const key = option?.key ?? "none";
  expect([key, "\r", "1\r"]).toContain(piece);
  if (reply.decision === "confined") expect([before.isChoosingTerm, question.consent]).toEqual([true, CONSENT]);
  if (piece === "\r") expect([before.choice, before.isMoved === true || isSeen]).toEqual([key, true]);
  if (reply.decision === "session" && !isPlan) {
    const rules = reply.isNarrow ? question.suggestions : question.sessionRules;
    expect(rules).not.toEqual([]);
    expect(option?.rules).toEqual(rules ?? []);
  }
  if (reply.decision === "always") expect(!isPlan && question.suggestions?.length !== 0).toBe(true);
  if (reply.decision !== "once") {
    expect(marks === undefined || marks.left.size === 0).toBe(true);
    return;
  }
  const left = [...(marks?.left ?? [])];
  if (left.length === 0) expect(reply.hunks).toBeUndefined();
  else {
    expect(reply.hunks?.length).toBe((marks?.count ?? 0) - left.length);
    expect(reply.hunks?.some((index) => left.includes(index))).toBe(false);
    expect(reply.hunks).not.toEqual([]);
  }
}

/** True if the line for words belongs to a yes. */
function wasOpenedOnYes(asking: Asking): boolean {
  return questionOptions(asking).some(({ key, isYes }) => isYes && key === asking.choice);
}

describe("whatever is asked and pressed", () => {
  seededTest(
    "a yes comes only from the key that says so, with what is marked and what was offered",
    { seed: SEED, cases: CASES },
    (seed, rounds) => {
      const random = seededRandom(seed);
      for (let round = 0; round < rounds; round += 1) {
        const question = someQuestion(random);
        const size = { columns: random.pick([20, 40, 80, 120]), maxRows: random.pick([6, 12, 22, 40]) };
        let ui = syncQuestion(emptyUi, [questionOf(question)], 10_000);
        for (let keys = 0; keys < 12; keys += 1) {
          const before = dialogOf(ui);
          if (!before) break;
          const piece = random.pick(KEYS);
          const { isReadable, isSeen } = drawn(before, size).preview;
          const pressed = press(ui, piece, size, 20_000);
          const replies = pressed.effects.filter((effect) => effect.type === "answer");
          expect(replies.length).toBeLessThanOrEqual(1);
          // In an open line for words, all but the Enter of a piece are words too.
          const isWords = before.why !== undefined && piece.endsWith("\r") && piece.length > 1;
          const worded = isWords ? (dialogOf(press(ui, piece.slice(0, -1), size, 20_000).ui) ?? before) : before;
          const { why } = worded;
          for (const { id, reply } of replies) {
            expect(id).toBe(question.id ?? "");
            if (!isReadable) expect(reply).toEqual({ decision: "reject" });
            else if (why && reply.decision !== "reject" && wasOpenedOnYes(worded)) {
              // The answer that was marked, with the words.
              const option = questionOptions(worded).find(({ key }) => key === selectedChoice(worded, isSeen));
              const words = meansYes(why.text) ? "" : why.text.trim();
              expect<unknown>(reply).toEqual(option && withWords(before.question, option, words));
              expect([piece.at(-1), option?.isYes, meansNo(words)]).toEqual(["\r", true, false]);
            } else if (why && reply.decision !== "reject") {
              // Only a typed yes, where a yes is selected first.
              expect(meansYes(why.text)).toBe(true);
              const yes = typedYes(worded, isSeen)?.reply;
              expect<unknown>(reply).toEqual(yes);
            } else if (why) expect(reply.decision).toBe("reject");
            else checkReply(reply, piece, before, isSeen);
          }
          ui = pressed.ui;
        }
      }
    },
  );

  seededTest(
    "no key is an answer in the first moment of a question that came while the person typed",
    { seed: SEED, cases: CASES },
    (seed, rounds) => {
      const random = seededRandom(seed);
      const size = { columns: 80, maxRows: 22 };
      for (let round = 0; round < rounds; round += 1) {
        const typing = press(emptyUi, "wor", size, 9_900).ui;
        let ui = syncQuestion(typing, [questionOf(someQuestion(random))], 10_000);
        for (let keys = 0; keys < 6; keys += 1) {
          const pressed = press(ui, random.pick(KEYS), size, 10_000 + HOLD_MS - 1);
          expect(
            pressed.effects.filter(({ type }) => type !== "enqueue" && type !== "mode" && type !== "viewer"),
          ).toEqual([]);
          expect(dialogOf(pressed.ui)?.question).toBe(dialogOf(ui)?.question as DialogQuestion);
          ui = pressed.ui;
        }
      }
    },
  );

  seededTest(
    "the cursor starts on no yes where there is a danger, and the box keeps to its room",
    { seed: SEED, cases: CASES },
    (seed, rounds) => {
      const random = seededRandom(seed);
      for (let round = 0; round < rounds; round += 1) {
        const question = someQuestion(random);
        const asking = dialogOf(syncQuestion(emptyUi, [questionOf(question)], 10_000));
        if (!asking) throw new Error("It is not shown.");
        const chosen = questionOptions(asking).find(({ key }) => key === asking.choice);
        if (question.hazards?.length !== 0) expect(chosen?.isYes).toBe(false);
        const size = { columns: random.below(120) + 20, maxRows: random.below(40) + 5 };
        const { lines } = drawn({ ...asking, scroll: random.below(2_000) }, size);
        expect(lines.length).toBeLessThanOrEqual(size.maxRows);
        expect(lines.filter((line) => textWidth(line) > size.columns)).toEqual([]);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: there is none in what goes to the terminal.
        expect(lines.join("").match(/[\u0000-\u001f\u007f-\u009f\u200b\u202a-\u202e]/g)).toBeNull();
      }
    },
  );

  seededTest(
    "every character of a command can be scrolled to, in order",
    { seed: SEED, cases: SCROLLS },
    (seed, rounds) => {
      const random = seededRandom(seed);
      for (let round = 0; round < rounds; round += 1) {
        const command = random
          .some(60, () => random.pick(["echo", "漢字", "rm -rf", "'a b'", "\n", "|", "y".repeat(50)]))
          .join(" ");
        const preview: Preview = { kind: "command", command, description: "", unclear: random.some(1, () => "rm -rf") };
        const asking = dialogOf(
          syncQuestion(emptyUi, [questionOf({ ...someQuestion(random), kind: "permission", preview })], 10_000),
        );
        if (!asking) throw new Error("It is not shown.");
        const size = { columns: random.pick([40, 80, 120]), maxRows: 22 };
        const seen = new Map<number, string>();
        const { maxScroll, rows } = drawn(asking, size).preview;
        for (let scroll = 0; scroll <= maxScroll; scroll += 1) {
          const { lines } = drawn({ ...asking, scroll }, size);
          for (let at = 0; at < rows; at += 1) seen.set(scroll + at, stripAnsi(lines[1 + at] ?? "").slice(1, -1));
        }
        const told = [...seen.entries()].sort(([a], [b]) => a - b).map(([, line]) => line);
        const letters = (text: string) => text.replace(/[\s┆▲…]/g, "");
        expect(letters(told.join(""))).toContain(letters(command));
      }
    },
  );
});
