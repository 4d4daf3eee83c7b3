import { describe, expect, test } from "bun:test";
import type { ChoiceQuestion, Reply } from "../../../../src/contracts/question.ts";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { askedLayer } from "../../../../src/faces/repl/layers/asked-layer.ts";
import type { StackContext } from "../../../../src/faces/repl/layers/layer-stack.ts";
import { isChoosing } from "../../../../src/faces/repl/layers/open-question.ts";
import { COMMANDS_WAIT, GUARD_MS, HOLD_MS } from "../../../../src/faces/repl/layers/question.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { emptyUi, NO_PREVIEW, type Ui } from "../../../../src/faces/repl/layers/ui-state.ts";
import { choiceOf, DATABASE, FEATURES } from "../../../support/choice.ts";
import { pressKeys } from "../../../support/press-keys.ts";

const ESC = "\u001b";
const [UP, DOWN, LEFT, RIGHT, TAB] = [`${ESC}[A`, `${ESC}[B`, `${ESC}[D`, `${ESC}[C`, "\t"];
const [SHIFT_TAB, PAGE_DOWN] = [`${ESC}[Z`, `${ESC}[6~`];
const NOW = 10_000;
const CONTEXT: StackContext = {
  askedLayer,
  isBusy: true,
  isStopping: false,
  nowMs: NOW,
  columns: 40,
  commands: [],
  mode: "default",
  modes: ["default"],
  preview: { ...NO_PREVIEW, maxScroll: 100, rows: 10 },
  canEdit: false,
  questionCount: 1,
  keymap: DEFAULT_KEYMAP,
};

const open = (...questions: readonly ChoiceQuestion[]) => syncQuestion(emptyUi, [choiceOf(...questions)], NOW);

/** Presses keys one after the other, each long after the one before. */
function pressSlowly(ui: Ui, ...pieces: readonly string[]) {
  return pieces.reduce(
    (now, piece, at) => {
      const pressed = pressKeys(now.ui, { ...CONTEXT, nowMs: NOW + at * (GUARD_MS + 1) }, piece);
      return { ui: pressed.ui, effects: [...now.effects, ...pressed.effects] };
    },
    { ui, effects: [] as ReturnType<typeof pressKeys>["effects"] },
  );
}

/** The one reply that keys gave; undefined if they gave none. */
function replied(questions: readonly ChoiceQuestion[], ...keys: readonly string[]): Reply | undefined {
  const { effects } = pressSlowly(open(...questions), ...keys);
  expect(effects.length).toBeLessThanOrEqual(1);
  return effects[0]?.type === "answer" ? effects[0].reply : undefined;
}

const answered = (...answers: readonly (readonly string[] | string)[]): Reply => ({
  decision: "answered",
  answers: answers.map((one) => (typeof one === "string" ? { labels: [], words: one } : { labels: one })),
});

const choosingOf = ({ asking }: Ui) => (isChoosing(asking) ? asking : undefined);
const [PG, LITE] = DATABASE.options.map(({ label }) => label) as [string, string];

describe("a single question", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["its number", ["2"], [LITE]],
    ["enter", ["\r"], [PG]],
    ["the arrows and enter", [DOWN, "\r"], [LITE]],
    ["space and enter", [DOWN, " ", UP, DOWN, "\r"], [LITE]],
  ])("is answered by %s", (_, keys, labels) => {
    expect(replied([DATABASE], ...keys)).toEqual(answered(labels));
  });

  test.each<[string, readonly string[]]>([
    ["its number", ["3", "MySQL", "\r"]],
    ["letters alone", ["MyS", "QL", "\r"]],
    ["the arrows", [UP, UP, "\r", "MySQL", "\r"]],
    ["a paste", [`${ESC}[200~My\nSQL${ESC}[201~`, "\r"]],
  ])("takes the person's own words by %s", (_, keys) => {
    const reply = replied([DATABASE], ...keys);
    expect(reply).toEqual(answered(keys[0]?.includes("[200~") ? "My SQL" : "MySQL"));
  });

  test("keeps own words when the person goes back to the options, and drops them for an option", () => {
    const back = pressSlowly(open(DATABASE), "M", "y", ESC).ui;
    expect(choosingOf(back)?.drafts[0]?.words.text).toBe("My");
    expect(pressSlowly(back, "3", "\r").effects).toMatchObject([{ reply: answered("My") }]);
    expect(pressSlowly(back, "1").effects).toMatchObject([{ reply: answered([PG]) }]);
  });

  test("can be talked about, with or without words", () => {
    expect(replied([DATABASE], "4", "why?", "\r")).toMatchObject({ decision: "answered", talk: "why?" });
    expect(replied([DATABASE], "4", "\r")).toMatchObject({ decision: "answered", talk: "" });
  });

  test("has no answer for a number without an option, nor for an empty line of own words", () => {
    expect(replied([DATABASE], "5", "9", "3", "\r")).toBeUndefined();
  });
});

describe("a question with several choices", () => {
  test("is answered by marks of numbers and space, and sent by enter", () => {
    expect(replied([FEATURES], "1", "3", "\r")).toEqual(answered(["Login", "Export"]));
    expect(replied([FEATURES], " ", DOWN, " ", "1", "\r")).toEqual(answered(["Search"]));
    for (const keys of ["13", "1 3"]) expect(replied([FEATURES], keys, "\r")).toEqual(answered(["Login", "Export"]));
  });

  test("takes the marked option if nothing is chosen", () => {
    expect(replied([FEATURES], DOWN, "\r")).toEqual(answered(["Search"]));
  });

  test("takes own words beside the chosen options", () => {
    expect(replied([FEATURES], "2", "4", "dark mode", "\r")).toEqual({
      decision: "answered",
      answers: [{ labels: ["Search"], words: "dark mode" }],
    });
  });
});

describe("several questions", () => {
  test("are reviewed before they are sent, and each can be changed", () => {
    expect(replied([DATABASE, FEATURES], "1", "2", "\r")).toBeUndefined();
    expect(replied([DATABASE, FEATURES], "1", "2", "\r", "\r")).toEqual(answered([PG], ["Search"]));
    expect(replied([DATABASE, FEATURES], "1", "2", "\r", LEFT, LEFT, "2", RIGHT, "1")).toEqual(
      answered([LITE], ["Search"]),
    );
  });

  test("may be left out", () => {
    expect(replied([DATABASE, FEATURES], TAB, TAB, "\r")).toEqual(answered([], []));
  });

  test("can be talked about with what was answered so far", () => {
    expect(replied([DATABASE, FEATURES], "2", "5", "hm", "\r")).toEqual({
      decision: "answered",
      answers: [{ labels: [LITE] }, { labels: [] }],
      talk: "hm",
    });
    expect(replied([DATABASE, FEATURES], TAB, TAB, "2", "\r")).toMatchObject({ talk: "" });
  });

  test("take no key that is held down from one question to the next", () => {
    const { ui, effects } = pressKeys(open(DATABASE, FEATURES), CONTEXT, "1", "1", "1", "\r", "\r");
    expect(effects).toEqual([]);
    expect(choosingOf(ui)).toMatchObject({ tab: 1, drafts: [{ chosen: [0] }, { chosen: [] }] });
    expect(ui.armed?.says).toBe("too early: press it again");
  });
});

describe("escape", () => {
  test("closes the questions, and ends the turn, so that the prompt has the keys", () => {
    expect(replied([DATABASE], ESC)).toEqual({ decision: "reject", endsTurn: true });
  });

  test("of a child agent's questions leaves the turn as it is", () => {
    const ui = syncQuestion(emptyUi, [{ ...choiceOf(DATABASE), parentAgentId: "main" }], NOW);
    expect(pressSlowly(ui, ESC).effects).toMatchObject([{ reply: { decision: "reject" } }]);
    expect(pressSlowly(ui, ESC).effects).not.toMatchObject([{ reply: { endsTurn: true } }]);
  });

  test("works in a window that is too small for the questions, where nothing else answers", () => {
    const context = { ...CONTEXT, preview: { ...NO_PREVIEW, isReadable: false } };
    expect(pressKeys(open(DATABASE), context, "1", "\r", "x").effects).toEqual([]);
    expect(pressKeys(open(DATABASE), context, ESC).effects).toHaveLength(1);
  });
});

describe("typed words", () => {
  test("that were not sent go to the prompt when the questions are gone", () => {
    const typing = pressSlowly(open(DATABASE, FEATURES), "x", "y", "\r", "z").ui;
    expect(syncQuestion(typing, [], NOW).editor.text).toBe("xy\nz");
    const closed = pressSlowly(pressSlowly(typing, ESC).ui, ESC).ui;
    expect(syncQuestion({ ...closed, editor: editorWith("draft") }, [], NOW).editor.text).toBe("draft\nxy\nz");
  });

  test("that were sent do not", () => {
    const sent = pressSlowly(open(DATABASE), "x", "\r").ui;
    expect(syncQuestion(sent, [], NOW).editor.text).toBe("");
  });

  test("for the prompt stay there while questions come", () => {
    const ui = { ...emptyUi, editor: editorWith("npm "), typedAt: NOW - 10 };
    const asked = syncQuestion(ui, [choiceOf(DATABASE)], NOW);
    const { ui: typed, effects } = pressKeys(asked, { ...CONTEXT, nowMs: NOW + 20 }, "1");
    expect([effects, typed.editor.text, choosingOf(typed)?.drafts[0]?.chosen]).toEqual([[], "npm 1", []]);
    expect(choosingOf(typed)?.guardedUntil).toBe(NOW + 20 + HOLD_MS);
  });
});

test("the preview is scrolled by pages, and starts at the top with another option", () => {
  const scrolled = pressSlowly(open(DATABASE), DOWN, PAGE_DOWN).ui;
  expect(choosingOf(scrolled)?.scroll).toBe(9);
  expect(choosingOf(pressSlowly(scrolled, UP).ui)?.scroll).toBe(0);
});

test("a typed command is no answer: it waits with its text, and says so until the next key", () => {
  const context = { ...CONTEXT, commands: [{ name: "agents", summary: "", argumentHint: "" }] };
  const waits = pressKeys(open(DATABASE), context, ..."/agents", "\r");
  expect([waits.effects, choosingOf(waits.ui)?.problem]).toEqual([[], COMMANDS_WAIT]);
  expect(choosingOf(waits.ui)?.drafts[0]?.words.text).toBe("/agents");
  for (const key of [ESC, "!"])
    expect(choosingOf(pressKeys(waits.ui, context, key).ui)).toMatchObject({ problem: undefined });
  expect(pressKeys(open(DATABASE), context, ..."/tmp", "\r").effects).toHaveLength(1);
});

describe("shift+tab in the model's questions", () => {
  const context: StackContext = { ...CONTEXT, modes: ["default", "acceptEdits"] };

  test("changes the permission mode as in any question, and the questions stay", () => {
    const { ui, effects } = pressKeys(pressSlowly(open(DATABASE, FEATURES), TAB).ui, context, SHIFT_TAB);
    expect(effects).toEqual([{ type: "mode", mode: "acceptEdits" }]);
    expect(choosingOf(ui)?.tab).toBe(1);
    expect(choosingOf(pressSlowly(ui, LEFT).ui)?.tab).toBe(0);
  });

  test("does nothing while words are written", () => {
    const written = pressSlowly(open(DATABASE), "my own").ui;
    expect(pressKeys(written, context, SHIFT_TAB).effects).toEqual([]);
  });
});
