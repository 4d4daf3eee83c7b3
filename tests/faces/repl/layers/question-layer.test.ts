import { describe, expect, test } from "bun:test";
import type { DiffHunk } from "../../../../src/contracts/display.ts";
import type { Reply } from "../../../../src/contracts/question.ts";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { hunkInSight } from "../../../../src/faces/repl/layers/hunk-marks.ts";
import { afterEditing, COMMANDS_WAIT, GUARD_MS, HOLD_MS } from "../../../../src/faces/repl/layers/question.ts";
import { questionOptions } from "../../../../src/faces/repl/layers/question-options.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { type Effect, emptyUi, type Ui, type UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { pressKeys } from "../../../support/press-keys.ts";
import { dialogOf, type QuestionParts, questionOf } from "../../../support/question.ts";

const ESC = "\u001b";
const [UP, DOWN, LEFT, RIGHT] = [`${ESC}[A`, `${ESC}[B`, `${ESC}[D`, `${ESC}[C`];
const [PAGE_UP, PAGE_DOWN, END, SHIFT_TAB] = [`${ESC}[5~`, `${ESC}[6~`, `${ESC}[F`, `${ESC}[Z`];
const [SHIFT_UP, SHIFT_DOWN] = [`${ESC}[1;2A`, `${ESC}[1;2B`];
const NOW = 10_000;
const CONTEXT: UiContext = {
  isBusy: true,
  isStopping: false,
  nowMs: NOW,
  columns: 40,
  commands: [],
  mode: "default",
  modes: ["default"],
  preview: { from: 0, maxScroll: 100, rows: 10, anchors: [1, 20, 30, 60, 95], isReadable: true, isSeen: true },
  canEdit: true,
  questionCount: 1,
  keymap: DEFAULT_KEYMAP,
};
const CTRL_E = "\u0005";
const QUESTION: QuestionParts = {
  id: "q",
  agentId: "main",
  parentAgentId: null,
  kind: "permission",
  toolUseId: "q",
  toolName: "Bash",
  title: "Run this command?",
  preview: { kind: "command", command: "npm test", description: "", unclear: [] },
  reason: "r",
  hazards: [],
  suggestions: ["Bash(npm test *)"],
  sessionRules: ["Bash(npm test *)"],
};
const CONSENT = "Commands may change and delete files in ~/shop and temporary files, and reach no host.";
const CONFINABLE: QuestionParts = { ...QUESTION, consent: CONSENT };
const HUNK: DiffHunk = { oldStart: 1, newStart: 1, lines: [{ kind: "added", text: "x" }] };
const EDIT: QuestionParts = {
  ...QUESTION,
  toolName: "Edit",
  preview: { kind: "diff", path: "a.ts", isNew: false, hunks: [HUNK, HUNK, HUNK, HUNK, HUNK] },
};
const PLAN: QuestionParts = { ...QUESTION, kind: "plan", preview: { kind: "text", text: "# p", file: "/p.md" } };
const CREDENTIAL: QuestionParts = {
  ...QUESTION,
  kind: "credential",
  sessionRules: ["env.pass: GH_TOKEN"],
  preview: { kind: "text", text: "gh can use GH_TOKEN" },
};
const SPEND: QuestionParts = { ...CREDENTIAL, kind: "spend", suggestions: [], sessionRules: [] };

const WAIT: QuestionParts = { ...SPEND, kind: "wait" };
const PORT: QuestionParts = { ...SPEND, kind: "port" };

const ask = (question: QuestionParts, from: Ui = emptyUi, nowMs = NOW) =>
  syncQuestion(from, [questionOf(question)], nowMs);

const press = (ui: Ui, ...pieces: readonly string[]) => pressKeys(ui, CONTEXT, ...pieces);
const pressAt = (context: UiContext, ui: Ui, ...pieces: readonly string[]) => pressKeys(ui, context, ...pieces);

/** The one reply that keys gave; undefined when they gave none. */
function replied(question: QuestionParts, ...keys: readonly string[]): Reply | undefined {
  const { effects } = press(ask(question), ...keys);
  expect(effects.length).toBeLessThanOrEqual(1);
  return effects[0]?.type === "answer" ? effects[0].reply : undefined;
}

test.each([PORT, WAIT, SPEND, CREDENTIAL])(
  "words before enter are a no to a question without a reason line",
  (question) => {
    expect(replied(question, "n", "o", " ", "w", "a", "y", "\r")).toEqual({ decision: "reject" });
  },
);

describe("the answers", () => {
  const listOf = (question: QuestionParts, isChoosingTerm = false) =>
    questionOptions({ question: questionOf(question), marks: undefined, isChoosingTerm }).map(
      ({ key, label }) => `${key} ${label}`,
    );

  test("are those that the question can have, numbered without gaps", () => {
    const NO = "No, and say what to do instead";
    const SESSION = "Yes, and don't ask again for `npm test …` in this session";
    const ALWAYS = "Yes, always for `npm test …` in this project";
    expect(listOf(CONFINABLE)).toEqual([
      "1 Yes",
      `2 ${SESSION}`,
      `3 ${ALWAYS}`,
      "4 Yes to every command that stays in the sandbox",
      `5 ${NO}`,
    ]);
    expect(listOf(QUESTION)).toEqual(["1 Yes", `2 ${SESSION}`, `3 ${ALWAYS}`, `4 ${NO}`]);
    expect(listOf({ ...QUESTION, sessionRules: [] })).toEqual(["1 Yes", `2 ${ALWAYS}`, `3 ${NO}`]);
    expect(listOf({ ...QUESTION, suggestions: [], sessionRules: [] })).toEqual(["1 Yes", `2 ${NO}`]);
    expect(listOf(PLAN)).toEqual(["1 Yes", "2 Yes, and accept edits", "3 No, and say what to change"]);
    expect(listOf(CREDENTIAL)).toEqual([
      "1 Yes, for this command",
      "2 Yes, GH_TOKEN for every command in this session",
      "3 Yes, GH_TOKEN for every command in this project, always",
      "4 No, not in this session",
    ]);
    expect(listOf({ ...CREDENTIAL, sessionRules: [] })).toEqual([
      "1 Yes, for this command",
      "2 No, not in this session",
    ]);
    expect(listOf(CONFINABLE, true)).toEqual(["1 Yes, in this session", "2 Yes, always in this project", "3 Back"]);
  });

  test("stand in the order of their grants: the wider rules last, and of the same rules the longer time", () => {
    const file = ["Edit(/a.ts)"];
    const project = ["Edit(/**)"];
    const narrow = ["Bash(npm test *)"];
    const wide = ["Bash(npm test *)", "Bash(npm run lint *)"];
    const order = (suggestions: readonly string[], sessionRules: readonly string[]) => {
      const question = questionOf({ ...CONFINABLE, suggestions, sessionRules });
      return questionOptions({ question, marks: undefined }).map(({ reply, rules }) =>
        typeof reply === "string" ? reply : `${reply.decision} ${rules.join(" ")}`.trim(),
      );
    };
    const isNarrow = (suggestions: readonly string[], sessionRules: readonly string[]) =>
      questionOptions({ question: questionOf({ ...QUESTION, suggestions, sessionRules }), marks: undefined }).map(
        ({ reply }) => typeof reply !== "string" && reply.decision === "session" && reply.isNarrow === true,
      );
    expect(isNarrow(file, project)).toEqual([false, true, false, false, false]);
    expect(isNarrow(narrow, narrow)).toEqual([false, false, false, false]);
    expect(order(narrow, narrow).slice(1, 3)).toEqual([`session ${narrow.join(" ")}`, `always ${narrow.join(" ")}`]);
    const threeOf = (kept: readonly string[], passing: readonly string[]) => order(kept, passing).slice(1, 4);
    expect(threeOf(file, project)).toEqual(["session Edit(/a.ts)", "always Edit(/a.ts)", "session Edit(/**)"]);
    expect(threeOf(narrow, wide)).toEqual(
      ["session", "always", "session"].map((how, at) => `${how} ${(at < 2 ? narrow : wide).join(" ")}`),
    );
    for (const [kept, passing] of [[narrow, narrow] as const, [file, project] as const, [[], wide] as const]) {
      const all = order(kept, passing);
      expect([all[0], ...all.slice(-2)]).toEqual(["once", "choose how long", "say why"]);
    }
  });

  test("name every rule that they add, and an opened network", () => {
    const rules = ["Bash(npm test *)", "Bash(make \\(a\\))", "Edit(/src/**)", "Read(//etc/hosts)", "Skill(deploy *)"];
    const others = [
      "WebFetch(domain:a.dev)",
      "mcp__tracker__list",
      "Bash(git * main)",
      "sandbox.excludedCommands: docker *",
    ];
    const labelOf = (parts: QuestionParts) =>
      questionOptions({ question: questionOf({ ...QUESTION, ...parts }), marks: undefined })[1]?.label ?? "";
    const label = labelOf({ suggestions: [], sessionRules: rules });
    for (const words of ["`npm test …`", "`make (a)`", "edits in src/", "reads of /etc/hosts", "the skill deploy …"])
      expect(label).toContain(words);
    const other = labelOf({ suggestions: [], sessionRules: others });
    for (const words of ["pages of a.dev", "list of tracker", "`Bash(git * main)`", "`docker …` outside the sandbox"])
      expect(other).toContain(words);
    expect(labelOf({ opensNetwork: true })).toContain("`npm test …` with network access");
  });

  test.each<[string, readonly string[], Reply | undefined]>([
    ["in this session", ["1"], { decision: "confined", lasts: "session" }],
    ["always", ["2"], { decision: "confined", lasts: "always" }],
    ["the marked one", ["\r"], { decision: "confined", lasts: "session" }],
    ["the next one", [DOWN, "\r"], { decision: "confined", lasts: "always" }],
    ["back, then no", ["3", "0"], { decision: "reject" }],
    ["escape goes back, and escape there says no", [ESC, ESC], { decision: "reject" }],
    ["back, and the offer is marked", [ESC, "\r"], undefined],
  ])("to all confined commands are given for a time: %s", (_, keys, reply) => {
    const open = press(ask(CONFINABLE), "4");
    expect(open.effects).toEqual([]);
    const { effects } = pressAt({ ...CONTEXT, nowMs: NOW + GUARD_MS }, open.ui, ...keys);
    expect(effects).toEqual(reply ? [{ type: "answer", id: "q", reply }] : []);
  });

  test("to all confined commands are not given by the key that chose them, held down", () => {
    for (const keys of [
      [DOWN, DOWN, DOWN, "\r", "\r", "\r"],
      ["4", "4", "4"],
    ]) {
      const { effects, ui } = press(ask(CONFINABLE), ...keys);
      expect([effects, dialogOf(ui)?.isChoosingTerm]).toEqual([[], true]);
    }
  });

  test("to all confined commands are given at once by another key", () => {
    const { effects } = press(ask(CONFINABLE), "4", "1");
    expect(effects).toEqual([{ type: "answer", id: "q", reply: { decision: "confined", lasts: "session" } }]);
  });

  test.each<[string, QuestionParts, string, Reply | undefined]>([
    ["a plan", PLAN, "1", { decision: "once" }],
    ["a plan", PLAN, "2", { decision: "session" }],
    ["a plan", PLAN, "4", undefined],
    ["a credential", CREDENTIAL, "1", { decision: "once" }],
    ["a credential", CREDENTIAL, "2", { decision: "session" }],
    ["a credential", CREDENTIAL, "3", { decision: "always" }],
    ["a credential", CREDENTIAL, "4", { decision: "reject" }],
    ["a credential", CREDENTIAL, "5", undefined],
    ["spend", SPEND, "1", { decision: "once" }],
    ["spend", SPEND, "2", { decision: "session" }],
    ["spend", SPEND, "3", { decision: "reject" }],
    ["spend", SPEND, "4", undefined],
    ["wait", WAIT, "1", { decision: "once" }],
    ["wait", WAIT, "2", { decision: "reject" }],
    ["wait", WAIT, "4", undefined],
    ["a session without rules", { ...QUESTION, sessionRules: [] }, "2", { decision: "always" }],
    ["a command without the offer", QUESTION, "4", undefined],
  ])("of %s: key %#", (_, question, key, reply) => {
    expect(replied(question, key)).toEqual(reply);
  });

  test("no to a plan asks what to change; nothing said is a plain no", () => {
    expect(replied(PLAN, "3", "smaller steps", "\r")).toEqual({ decision: "reject", message: "smaller steps" });
    expect(replied(PLAN, "3", "\r")).toEqual({ decision: "reject" });
    expect(replied(PLAN, ESC)).toEqual({ decision: "reject" });
  });

  test("are marked by the arrows, which go round", () => {
    expect(replied(QUESTION, RIGHT, RIGHT, "\r")).toEqual({ decision: "always" });
    expect(replied(QUESTION, LEFT, "\r", "\r")).toEqual({ decision: "reject" });
    expect(replied(QUESTION, LEFT, RIGHT, "\r")).toEqual({ decision: "once" });
  });

  test("more characters at once are no answer: they were not typed for it", () => {
    expect(replied(QUESTION, "11")).toBeUndefined();
    expect(replied(QUESTION, "1 and 2")).toBeUndefined();
  });
});

test("0 says no to every kind of question, whatever is marked or asked next", () => {
  const no: Reply = { decision: "reject" };
  expect([QUESTION, PLAN, CREDENTIAL, SPEND, WAIT, EDIT].map((question) => replied(question, "0"))).toEqual(
    Array<Reply>(6).fill(no),
  );
  expect(replied(EDIT, " ", DOWN, "-", "0")).toEqual(no);
  const term = press(ask(CONFINABLE), "4").ui;
  expect(pressAt({ ...CONTEXT, nowMs: NOW + GUARD_MS }, term, "0").effects).toEqual([
    { type: "answer", id: "q", reply: no },
  ]);
  // In the line of a no it is a character.
  expect(dialogOf(press(ask(QUESTION), "w", "0").ui)?.why?.text).toBe("w0");
});

describe("the cursor", () => {
  const choice = (question: QuestionParts) => dialogOf(ask(question))?.choice;

  test("stands on yes only for what is neither dangerous nor unclear", () => {
    expect(choice(QUESTION)).toBe("1");
    expect(choice({ ...QUESTION, hazards: ["deletes files"] })).toBe("4");
    expect(choice({ ...QUESTION, preview: { kind: "command", command: "$x", description: "", unclear: ["$x"] } })).toBe(
      "4",
    );
    expect(choice({ ...QUESTION, isRisky: true })).toBe("4");
    expect(choice({ ...PLAN, hazards: ["deletes files"] })).toBe("3");
    expect(choice({ ...CREDENTIAL, hazards: ["is for production"] })).toBe("4");
  });

  test("stands on no yes while a part of the command is out of sight", () => {
    const unseen = { ...CONTEXT, preview: { ...CONTEXT.preview, isSeen: false } };
    expect(pressAt(unseen, ask(QUESTION), "\r").effects).toEqual([]);
    expect(pressAt(unseen, ask(QUESTION), "\r", "\r").effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "reject" } },
    ]);
    expect(pressAt(unseen, ask(QUESTION), "\t", "fine", "\r").effects).toMatchObject([
      { reply: { decision: "reject" } },
    ]);
    expect(pressAt(unseen, ask(QUESTION), LEFT, LEFT, LEFT, "\r").effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "once" } },
    ]);
    expect(pressAt(unseen, ask(QUESTION), "1").effects).toHaveLength(1);
  });

  test("so that a stray enter approves nothing dangerous", () => {
    expect(replied({ ...QUESTION, hazards: ["publishes"] }, "\r")).toBeUndefined();
    expect(replied({ ...QUESTION, hazards: ["publishes"] }, "\r", "\r", "\r")).toEqual({ decision: "reject" });
  });
});

describe("keys that were meant for something else", () => {
  const typing = press(emptyUi, "npm ").ui;
  const asked = ask(QUESTION, typing, NOW + 100);
  const at = (nowMs: number) => ({ ...CONTEXT, nowMs });

  test("answer nothing while the person types on, and what they type is kept", () => {
    let ui = asked;
    const effects: Effect[] = [];
    for (let time = NOW + 150; time < NOW + 8_000; time += HOLD_MS - 1) {
      const pressed = pressAt(at(time), ui, "1");
      ui = pressed.ui;
      effects.push(...pressed.effects);
    }
    expect([effects, ui.editor.text]).toEqual([[], `npm ${"1".repeat(8)}`]);
  });

  test("the page keys scroll the question already, since the prompt has no use for them", () => {
    const scrolled = pressAt(at(NOW + 150), asked, PAGE_DOWN);
    expect([scrolled.effects, scrolled.ui.asking?.scroll, scrolled.ui.editor.text]).toEqual([[], 9, "npm "]);
  });

  test("enter of that time sends the draft, escape does nothing", () => {
    const { ui, effects } = pressAt(at(NOW + 150), asked, ESC, DOWN, "\r", "\r");
    expect(effects.map(({ type }) => type)).toEqual(["enqueue"]);
    expect([ui.asking?.question.id, ui.editor.text]).toEqual(["q", ""]);
  });

  test("text typed after the question appeared is kept: `use 2 s` answers nothing", () => {
    const pressed = pressAt(at(NOW + 5_000), ask(QUESTION, emptyUi, NOW + 4_000), ..."use 2 s", "\r");
    expect(pressed.effects).toEqual([{ type: "answer", id: "q", reply: { decision: "reject", message: "use 2 s" } }]);
    const piece = pressAt(at(NOW + 5_000), ask(QUESTION, emptyUi, NOW + 4_000), "2 s");
    expect([piece.effects, dialogOf(piece.ui)?.why?.text]).toEqual([[], "2 s"]);
  });

  test("after a pause, words go on with a draft that stands, and Enter answers when it is pressed again", () => {
    const words = pressAt(at(NOW + 100 + HOLD_MS), asked, "i", " ", "2", "\r");
    expect([words.effects.map(({ type }) => type), words.ui.asking?.question.id]).toEqual([["enqueue"], "q"]);
    const once = pressAt(at(NOW + 100 + HOLD_MS), asked, "\r");
    expect([once.effects, once.ui.editor.text]).toEqual([[], "npm "]);
    expect(pressAt(at(NOW + 200 + HOLD_MS), once.ui, "\r").effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "once" } },
    ]);
    expect(pressAt(at(NOW + 100 + HOLD_MS), asked, DOWN, "\r").effects).toHaveLength(1);
  });

  test("a tab that may complete a standing draft opens no words with a yes", () => {
    const typed = pressAt(at(NOW + 100 + HOLD_MS), asked, "\t", "i", "\r");
    expect(typed.effects).not.toContainEqual(
      expect.objectContaining({ reply: expect.objectContaining({ decision: "once" }) }),
    );
    expect(pressAt(at(NOW + 100 + HOLD_MS), asked, "\t", "\t").ui.asking).toMatchObject({
      choice: "1",
      why: { text: "" },
    });
  });

  test("a draft that stands is enough, however long ago it was typed", () => {
    const late = ask(QUESTION, typing, NOW + 60_000);
    expect(pressAt(at(NOW + 60_000 + HOLD_MS - 1), late, "1").effects).toEqual([]);
    expect(pressAt(at(NOW + 60_000 + HOLD_MS), late, "1").effects).toHaveLength(1);
  });

  test("so is a key of the last second, also when its draft was deleted", () => {
    const deleted = pressAt(CONTEXT, typing, "\u0015").ui;
    expect(deleted.editor.text).toBe("");
    expect(pressAt(at(NOW + 950), ask(QUESTION, deleted, NOW + 900), "1").effects).toEqual([]);
    expect(pressAt(at(NOW + 1_000), ask(QUESTION, deleted, NOW + 1_000), "1").effects).toHaveLength(1);
  });

  test("a key right after a sent prompt is an answer, except the same Enter held down", () => {
    const sent = pressAt(CONTEXT, typing, "\r").ui;
    const soon = ask(QUESTION, sent, NOW + 50);
    expect(pressAt(at(NOW + 60), soon, "1").effects).toHaveLength(1);
    const held = pressAt(at(NOW + GUARD_MS - 1), soon, "\r");
    expect([held.effects, pressAt(at(NOW + 2 * GUARD_MS - 2), held.ui, "\r").effects]).toEqual([[], []]);
    expect(pressAt(at(NOW + 2 * GUARD_MS), held.ui, "\r").effects).toHaveLength(1);
  });

  test("the draft comes back when the question is answered", () => {
    const answered = pressAt(at(NOW + 100 + HOLD_MS), asked, "1").ui;
    expect(syncQuestion(answered, [], NOW + 2_000)).toMatchObject({ asking: undefined, editor: { text: "npm " } });
  });

  test("a draft that is set aside holds no question back that follows", () => {
    const { ui } = pressAt(at(NOW + 100 + HOLD_MS), asked, "1");
    const next = syncQuestion(ui, [questionOf({ ...QUESTION, id: "next" })], NOW + 100 + HOLD_MS);
    expect(pressAt(at(NOW + 100 + HOLD_MS + GUARD_MS), next, "1").effects).toHaveLength(1);
  });

  test("words of a no hold no question back that follows", () => {
    const { ui } = press(ask(QUESTION), "no thanks", "\r");
    const next = syncQuestion(ui, [questionOf({ ...QUESTION, id: "next" })], NOW);
    expect(pressAt(at(NOW + GUARD_MS), next, "1").effects).toHaveLength(1);
  });

  test.each([
    { order: "the held one is replaced while the person types on", keys: "uAseB two 2" },
    { order: "the held one is replaced before the next key", keys: "uABse 2" },
    { order: "an answer is followed by words at once", keys: "A1useC 2" },
    { order: "an answered one is followed by words and two more", keys: "A1uBsC 2" },
  ])("typing that runs on into another question answers none: $order", ({ keys }) => {
    let ui = emptyUi;
    let nowMs = NOW;
    const answers: string[] = [];
    for (const key of keys) {
      // Long enough for the first question to be read, short enough for one who types.
      nowMs += key === "1" ? 5_000 : 150;
      // A capital stands for a question that comes.
      if (/[A-C]/.test(key)) ui = syncQuestion(ui, [questionOf({ ...QUESTION, id: key })], nowMs);
      else {
        const pressed = pressAt(at(nowMs), ui, key);
        ui = pressed.ui;
        for (const effect of pressed.effects) if (effect.type === "answer") answers.push(effect.id);
        if (key === "1") ui = syncQuestion(ui, [], nowMs);
      }
    }
    expect(answers).toEqual(keys.includes("1") ? ["A"] : []);
    expect(ui.editor.text).toBe(keys.replaceAll(/[A-C1]/g, ""));
  });

  test("a paste and a correction of that time go to the prompt", () => {
    const { ui } = pressAt(at(NOW + 150), asked, `${ESC}[200~run${ESC}[201~`, "\u007f");
    expect(ui.editor.text).toBe("npm ru");
  });

  test("count again after a rest", () => {
    expect(pressAt(at(NOW + 100 + HOLD_MS), asked, "1").effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "once" } },
    ]);
  });

  test("a question right behind an answer takes no second press of the same key, nor does the prompt", () => {
    const { ui } = press(ask(QUESTION), "1");
    const next = syncQuestion(ui, [questionOf({ ...QUESTION, id: "next" })], NOW);
    const early = pressAt(at(NOW + GUARD_MS - 1), next, "1", "\r");
    const { armed: _, ...unchanged } = early.ui;
    expect([{ ...unchanged, armed: next.armed }, early.effects]).toEqual([next, []]);
    expect(pressAt(at(NOW + GUARD_MS), next, "1").effects).toHaveLength(1);
  });

  test("each key that the guard drops is said, until a key counts; stopping needs no word", () => {
    const says = "too early: press it again";
    const next = syncQuestion(press(ask(QUESTION), "1").ui, [questionOf({ ...QUESTION, id: "next" })], NOW);
    for (const key of ["1", "\r", DOWN, ESC, "y", `${ESC}[200~yes${ESC}[201~`]) {
      const dropped = pressAt(at(NOW + 1), next, key);
      expect([dropped.effects, dropped.ui.armed?.says, dropped.ui.asking]).toEqual([[], says, next.asking]);
      expect(pressAt(at(NOW + GUARD_MS), dropped.ui, DOWN).ui.armed).toBeUndefined();
    }
    expect(pressAt(at(NOW + 1), next, "\u0003")).toMatchObject({
      ui: { armed: undefined },
      effects: [{ type: "interrupt" }],
    });
    expect(pressAt(at(NOW + 1), next, `${ESC}[<64;1;1M`).ui.armed).toBeUndefined();
    // A held-down Enter that sent the prompt.
    const sent = { ...ask(QUESTION), sentAt: NOW - 1 };
    expect(pressAt(at(NOW), sent, "\r")).toMatchObject({ ui: { armed: { says } }, effects: [] });
  });

  test("a question that comes a little after an answer is guarded, too; one that comes later is not", () => {
    const gone = syncQuestion(press(ask(QUESTION), "1").ui, [], NOW);
    const soon = ask({ ...QUESTION, id: "soon" }, gone, NOW + GUARD_MS - 1);
    expect(pressAt(at(NOW + GUARD_MS + 10), soon, "1").effects).toEqual([]);
    const late = ask({ ...QUESTION, id: "late" }, gone, NOW + GUARD_MS);
    expect(pressAt(at(NOW + GUARD_MS), late, "1").effects).toHaveLength(1);
  });

  test("a question that was settled by a rule under the person's fingers gives its key to no other", () => {
    const replaced = syncQuestion(ask(QUESTION), [questionOf({ ...QUESTION, id: "other" })], NOW + 5_000);
    expect(pressAt(at(NOW + 5_001), replaced, "1", "\r").effects).toEqual([]);
  });
});

describe("a question that goes while its no is being explained", () => {
  test("leaves the words in the prompt, where the person continues", () => {
    const saying = press(ask(QUESTION), "4", "use b").ui;
    const gone = syncQuestion(saying, [], NOW);
    expect([gone.asking, gone.editor.text]).toEqual([undefined, "use b"]);
    const replaced = syncQuestion(
      { ...saying, editor: editorWith("draft") },
      [questionOf({ ...QUESTION, id: "other" })],
      NOW,
    );
    const typed = press(replaced, "un", "1", "\r");
    expect([typed.effects, typed.ui.editor.text]).toEqual([[], "draft\nuse bun1"]);
  });

  test("leaves nothing behind once the words are sent", () => {
    const { ui, effects } = press(ask(QUESTION), "4", "use bun", "\r");
    expect(effects).toEqual([{ type: "answer", id: "q", reply: { decision: "reject", message: "use bun" } }]);
    expect(syncQuestion(ui, [], NOW + 1).editor.text).toBe("");
  });
});

describe("the line of a no", () => {
  test("opens with a letter, which is its first", () => {
    const asking = dialogOf(press(ask(QUESTION), "é", "!").ui);
    expect([asking?.choice, asking?.why?.text]).toEqual(["4", "é!"]);
    expect(dialogOf(press(ask(PLAN), "s").ui)?.why?.text).toBe("s");
    expect(dialogOf(press(ask(SPEND), "s").ui)?.why).toBeUndefined();
    expect(dialogOf(press(ask(QUESTION), `${ESC}[200~use\nbun${ESC}[201~`).ui)?.why?.text).toBe("use bun");
  });

  test("keeps its words when the person goes back with escape", () => {
    const back = press(ask(QUESTION), "use bu", ESC).ui;
    expect([dialogOf(back)?.why, dialogOf(back)?.question.id]).toEqual([undefined, "q"]);
    expect(press(back, "n", "\r").effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "reject", message: "use bun" } },
    ]);
    expect(press(back, "4", "\r").effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "reject", message: "use bu" } },
    ]);
    expect(syncQuestion(back, [], NOW).editor.text).toBe("use bu");
  });
});

describe("the line of a no that is emptied", () => {
  const BACKSPACE = "\u007f";
  const emptied = press(ask(QUESTION), RIGHT, "x", BACKSPACE).ui;

  test("gives way to the answers, with the earlier mark, and a digit answers after a pause", () => {
    expect(dialogOf(emptied)).toMatchObject({ choice: "2", why: undefined, keptWhy: undefined });
    for (const key of ["1", "0", "\r"]) expect(press(emptied, key)).toMatchObject({ effects: [], ui: { asking: {} } });
    expect(pressAt({ ...CONTEXT, nowMs: NOW + HOLD_MS }, emptied, "1").effects).toMatchObject([
      { reply: { decision: "once" } },
    ]);
    expect(press(emptied, ESC).effects).toMatchObject([{ reply: { decision: "reject" } }]);
  });

  test("opens at once for other words", () => {
    expect(press(emptied, ..."use 2 s", "\r").effects).toMatchObject([{ reply: { message: "use 2 s" } }]);
  });

  test("that was opened by its number goes with the next backspace, and so does the line of a yes", () => {
    expect(dialogOf(press(ask(QUESTION), "4", BACKSPACE).ui)).toMatchObject({ choice: "1", why: undefined });
    const ofYes = press(ask(QUESTION), "\t", "x", BACKSPACE).ui;
    expect(dialogOf(ofYes)?.why?.text).toBe("");
    expect(dialogOf(press(ofYes, BACKSPACE).ui)?.why).toBeUndefined();
  });
});

describe("the parts of a change", () => {
  const once = (...hunks: readonly number[]): Reply => ({ decision: "once", hunks });

  test("are all taken at first, and then nothing is said of them", () => {
    expect(replied(EDIT, "\r")).toEqual({ decision: "once" });
    expect(replied(EDIT, " ", " ", "\r")).toEqual({ decision: "once" });
    expect(replied(EDIT, "-", "+", "1")).toEqual({ decision: "once" });
  });

  test("are taken and left by space, and enter or 1 applies what is marked", () => {
    expect(replied(EDIT, " ", "\r")).toEqual(once(1, 2, 3, 4));
    expect(replied(EDIT, DOWN, " ", DOWN, DOWN, " ", UP, " ", "1")).toEqual(once(0, 4));
    expect(replied(EDIT, "-", DOWN, DOWN, UP, " ", "\r")).toEqual(once(1));
  });

  test("that come in one piece are the same keys", () => {
    expect(replied(EDIT, "- ", "\r")).toEqual(once(0));
  });

  test("none taken is sent as an empty part", () => {
    expect(replied(EDIT, "-", "\r")).toEqual({ decision: "once", hunks: [] });
  });

  test("a part can't be taken for longer than once", () => {
    expect(replied(EDIT, " ", "2", "\r")).toEqual({ decision: "reject" });
    expect(replied(EDIT, " ", "3")).toBeUndefined();
    expect(replied(EDIT, "2")).toEqual({ decision: "session" });
    expect(replied(EDIT, RIGHT, " ", "\r")).toEqual(once(1, 2, 3, 4));
  });

  test("escape and the key of no say no, whatever is marked", () => {
    expect(replied(EDIT, " ", ESC)).toEqual({ decision: "reject" });
    expect(replied(EDIT, "4", "\r")).toEqual({ decision: "reject" });
    expect(replied(EDIT, " ", RIGHT, "\r", "\r")).toEqual({ decision: "reject" });
  });

  test("one part alone is not marked", () => {
    const single: QuestionParts = { ...EDIT, preview: { kind: "diff", path: "a", isNew: false, hunks: [HUNK] } };
    expect(dialogOf(ask(single))?.marks).toBeUndefined();
    expect(replied(single, " ", "-", "\r")).toEqual({ decision: "once" });
  });

  test("that the keys go to are brought into sight, and end at the first and the last", () => {
    const at = (...keys: readonly string[]) => {
      const asking = dialogOf(press(ask(EDIT), ...keys).ui);
      return [asking?.marks?.at, asking?.scroll];
    };
    expect([at(DOWN), at(DOWN, DOWN, UP), at(UP), at(...Array<string>(8).fill(DOWN))]).toEqual([
      [1, 20],
      [1, 20],
      [0, 0],
      [4, 95],
    ]);
  });

  test("scrolling takes the keys along to a hunk that is in sight", () => {
    const asking = dialogOf(press(ask(EDIT), PAGE_DOWN, PAGE_DOWN).ui);
    expect([asking?.scroll, asking?.marks?.at]).toEqual([18, 1]);
    const back = dialogOf(press(ask(EDIT), END, PAGE_UP, PAGE_UP).ui);
    // Nothing begins between 82 and 92: the one that goes on there.
    expect([back?.scroll, back?.marks?.at]).toEqual([82, 3]);
  });

  test.each([
    [0, 0, 0],
    [0, 15, 1],
    [2, 0, 0],
    [4, 12, 2],
    [0, 40, 2],
    [3, 55, 3],
  ])("hunk %d, scrolled to %d, gives %d", (at, scroll, expected) => {
    expect(hunkInSight(at, [1, 20, 30, 60, 95], scroll, 20)).toBe(expected);
  });
});

describe("a long preview", () => {
  test("is scrolled by page, line, to its ends, and never beyond", () => {
    const scroll = (...keys: readonly string[]) => press(ask(QUESTION), ...keys).ui.asking?.scroll;
    expect([
      scroll(PAGE_DOWN),
      scroll(" "),
      scroll(SHIFT_DOWN, SHIFT_DOWN, SHIFT_UP),
      scroll(END),
      scroll(END, PAGE_DOWN),
      scroll(END, `${ESC}[H`),
    ]).toEqual([9, 9, 1, 100, 100, 0]);
    expect(scroll(PAGE_UP, SHIFT_UP)).toBe(0);
  });
});

describe("a question that can't be read because the window is too small", () => {
  const context = { ...CONTEXT, preview: { ...CONTEXT.preview, isReadable: false } };

  test("takes no yes, only a no", () => {
    expect(pressAt(context, ask(QUESTION), "1", "2", "3", "\r", "\t", "\r").effects).toEqual([]);
    expect(pressAt(context, ask(QUESTION), ESC).effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "reject" } },
    ]);
  });
});

test.each(["?", "5.", "👎", "12"])(
  "signs that are no answer, %j, take the mark off a yes, so that Enter is no consent",
  (signs) => {
    const marked = press(ask(QUESTION), signs);
    const no = questionOptions(dialogOf(marked.ui)!).find(({ reply }) => reply === "say why");
    expect(dialogOf(marked.ui)?.choice).toBe(no?.key);
    expect(press(marked.ui, "\r").effects).toEqual([]);
    expect(press(ask(QUESTION), " ", "\r").effects).toHaveLength(1);
  },
);

describe("a plan in the person's editor", () => {
  test("is opened by ctrl+g where there is a file and an editor", () => {
    const edit: Effect = { type: "edit", id: "q", file: "/p.md" };
    expect(press(ask(PLAN), "\u0007").effects).toEqual([edit]);
    expect(pressAt({ ...CONTEXT, canEdit: false }, ask(PLAN), "\u0007").effects).toEqual([]);
    expect(press(ask({ ...PLAN, preview: { kind: "text", text: "p" } }), "\u0007").effects).toEqual([]);
    expect(press(ask(QUESTION), "\u0007").effects).toEqual([]);
  });

  test("comes back with its new text, from the top; the editor's last keys are no answer", () => {
    const scrolled = press(ask(PLAN), PAGE_DOWN).ui;
    const back = afterEditing(scrolled, "q", { edited: "# new" }, NOW)!;
    expect(back.asking).toMatchObject({ edited: "# new", scroll: 0, problem: undefined });
    expect(press(back, "1", "\r").effects).toEqual([]);
    expect(back.editor.text).toBe("");
  });

  test("stays as it was when the editor failed, and says why until it works", () => {
    const edited = afterEditing(ask(PLAN), "q", { edited: "# new" }, NOW)!;
    const failed = afterEditing(edited, "q", { problem: "no editor" }, NOW)!;
    expect(failed.asking).toMatchObject({ edited: "# new", problem: "no editor" });
    expect(dialogOf(afterEditing(failed, "q", { edited: "# newer" }, NOW) ?? emptyUi)?.problem).toBeUndefined();
  });

  test("of a question that is gone changes nothing", () => {
    expect(afterEditing(ask(PLAN), "another", { edited: "x" }, NOW)).toBeUndefined();
    expect(afterEditing(emptyUi, "q", { edited: "x" }, NOW)).toBeUndefined();
  });
});

describe("a field of a server's form", () => {
  const choices = [
    { value: "type", label: "type an answer", isYes: true, isTyped: true },
    { value: "empty", label: "leave empty", isYes: true },
    { value: "decline", label: "decline", isYes: false },
  ];
  const field: QuestionParts = { ...QUESTION, kind: "form", preview: { kind: "text", text: "Your age" }, choices };
  const ui = syncQuestion(emptyUi, [questionOf(field)], NOW - 2 * HOLD_MS);
  const reply = (sent: Reply): Effect[] => [{ type: "answer", id: "q", reply: sent }];

  test("is typed at once: its digits pick no option", () => {
    expect(dialogOf(pressKeys(ui, CONTEXT, "3", "6").ui)?.why?.text).toBe("36");
    expect(pressKeys(ui, CONTEXT, "3", "6", "\r").effects).toEqual(reply({ decision: "text", text: "36" }));
  });

  test("begins with its default, which Enter takes and no draft gets", () => {
    const prefilled = choices.map((one) => (one.isTyped ? { ...one, prefill: "acme" } : one));
    const withDefault: QuestionParts = { ...field, choices: prefilled };
    const open = syncQuestion(emptyUi, [questionOf(withDefault)], NOW - 2 * HOLD_MS);
    expect(pressKeys(open, CONTEXT, "\r").effects).toEqual(reply({ decision: "text", text: "acme" }));
    expect(syncQuestion(open, [], NOW).editor.text).toBe("");
  });

  test("that was left goes to no draft, because it may be a password, and takes a command's name as its value", () => {
    const left = pressKeys(ui, CONTEXT, "hunter2", ESC).ui;
    expect(dialogOf(left)?.keptWhy?.text).toBe("hunter2");
    expect(pressKeys(left, CONTEXT, ESC)).toMatchObject({
      effects: [{ type: "answer" }],
      ui: { editor: { text: "" } },
    });
    const commands = [{ name: "agents", summary: "", argumentHint: "" }];
    expect(pressKeys(ui, { ...CONTEXT, commands }, "/agents", "\r").effects).toEqual(
      reply({ decision: "text", text: "/agents" }),
    );
  });

  const CTRL_C = "\u0003";
  const typing = pressKeys(ui, CONTEXT, "h", "unter3", " two").ui;

  test.each<[string, Ui]>([
    ["the turn was stopped", pressKeys(typing, CONTEXT, CTRL_C).ui],
    ["esc showed the answers", pressKeys(typing, CONTEXT, ESC).ui],
    ["esc showed the answers, and the turn was stopped", pressKeys(typing, CONTEXT, ESC, CTRL_C).ui],
    ["the server withdrew it", typing],
  ])("never moves its text to the prompt, also when %s", (_, left) => {
    const closed = syncQuestion(left, [], NOW);
    expect([closed.editor.text, closed.asking, closed.stash]).toEqual(["", undefined, undefined]);
    expect(JSON.stringify(closed)).not.toContain("unter3");
    const next = syncQuestion(left, [questionOf({ ...QUESTION, id: "next" })], NOW);
    expect(JSON.stringify(next)).not.toContain("unter3");
  });

  test.each<[string, readonly QuestionParts[]]>([
    ["the prompt", []],
    ["the next question", [questionOf({ ...QUESTION, id: "next" })]],
  ])("that disappears while it is typed gives the rest of its text not to %s", (_, pending) => {
    const gone = syncQuestion(typing, pending.map(questionOf), NOW);
    const soon = { ...CONTEXT, nowMs: NOW + HOLD_MS - 1 };
    const typed = pressAt(soon, gone, "secret", "1", "\r");
    expect([typed.effects, typed.ui.editor.text, dialogOf(typed.ui)?.why]).toEqual([[], "", undefined]);
    // Each key prolongs the pause.
    const still = { ...CONTEXT, nowMs: soon.nowMs + HOLD_MS - 1 };
    expect(pressAt(still, typed.ui, "x", "\r").effects).toEqual([]);
    expect(pressAt(still, typed.ui, CTRL_C).effects).toEqual([{ type: "interrupt" }]);
    const later = { ...CONTEXT, nowMs: still.nowMs + 2 * HOLD_MS };
    const after = pressAt(later, typed.ui, "hello");
    expect(pending.length > 0 ? dialogOf(after.ui)?.why?.text : after.ui.editor.text).toBe("hello");
  });

  test("for a password keeps the rest of it out of the prompt when its first digit declined", () => {
    const secret = syncQuestion(
      emptyUi,
      [questionOf({ ...field, hazards: ["It seems to ask for a password."] })],
      NOW - 2 * HOLD_MS,
    );
    const declined = pressKeys(secret, CONTEXT, "3");
    expect(declined.effects).toEqual(reply({ decision: "chosen", value: "decline" }));
    const after = pressKeys(syncQuestion(declined.ui, [], NOW), CONTEXT, "secret", "\r");
    expect([after.effects, after.ui.editor.text]).toEqual([[], ""]);
  });

  test("that the person left by stopping the turn lets the next words into the prompt", () => {
    const closed = syncQuestion(pressKeys(typing, CONTEXT, CTRL_C).ui, [], NOW);
    expect(pressKeys(closed, CONTEXT, "hello").ui.editor.text).toBe("hello");
  });

  test("takes the first other answer for an empty line, and esc shows the answers", () => {
    expect(pressKeys(ui, CONTEXT, "\r").effects).toEqual(reply({ decision: "chosen", value: "empty" }));
    expect(pressKeys(ui, CONTEXT, ESC, "3").effects).toEqual(reply({ decision: "chosen", value: "decline" }));
  });
});

describe("a question that comes while a key is typed into a field", () => {
  const field = { title: "API key", text: "" };
  const typing = press({ ...emptyUi, hidden: field }, "sk-first").ui;

  test("waits until the field is left, and gets none of its keys", () => {
    const asked = press(ask(QUESTION, typing), "second", "1");
    expect([asked.ui.hidden?.text, dialogOf(asked.ui)?.why]).toEqual(["sk-firstsecond1", undefined]);
    const sent = press(asked.ui, "\r");
    expect(sent.effects).toEqual([{ type: "hidden", text: "sk-firstsecond1" }]);
    // The key that sent the field may arrive again.
    expect(press(sent.ui, "\r", "1").effects).toEqual([]);
    expect(pressAt({ ...CONTEXT, nowMs: NOW + 2 * GUARD_MS }, sent.ui, "1").effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "once" } },
    ]);
  });

  test("is asked after the field was cancelled, and the typed key is gone", () => {
    const left = press(ask(QUESTION, typing), ESC);
    expect(left.effects).toEqual([{ type: "hidden", text: undefined }]);
    expect(JSON.stringify(left.ui)).not.toContain("sk-first");
  });
});

describe("the transcript over a question", () => {
  const CTRL_O = "\u000f";

  test.each([true, false])("opens, and closing it leaves the question open; readable: %j", (isReadable) => {
    const context = { ...CONTEXT, preview: { ...CONTEXT.preview, isReadable } };
    const opened = pressAt(context, ask(QUESTION), CTRL_O);
    expect([opened.effects, opened.ui.viewer !== undefined]).toEqual([[], true]);
    const later = { ...context, nowMs: NOW + 5_000 };
    const closed = pressAt(later, opened.ui, CTRL_O);
    expect([closed.effects, closed.ui.viewer, closed.ui.asking?.question.id]).toEqual([[], undefined, "q"]);
    // The next key may still be meant for the transcript.
    expect(pressAt({ ...later, nowMs: later.nowMs + GUARD_MS - 1 }, closed.ui, "1").effects).toEqual([]);
  });
});

describe("a yes in words", () => {
  test.each(["y", "yes", "OK"])("answers a question whose first answer is yes: %s", (word) => {
    const replies = (parts: QuestionParts) => press(ask(parts), ...word, "\r").effects;
    expect(replies(QUESTION)).toEqual([{ type: "answer", id: "q", reply: { decision: "once" } }]);
    expect(replies(CREDENTIAL)).toEqual([{ type: "answer", id: "q", reply: { decision: "once" } }]);
    expect(replies(PLAN)).toEqual([{ type: "answer", id: "q", reply: { decision: "once" } }]);
  });

  test.each<[string, QuestionParts, UiContext]>([
    ["a danger", { ...QUESTION, hazards: ["deletes files"] }, CONTEXT],
    ["a part that was not seen", QUESTION, { ...CONTEXT, preview: { ...CONTEXT.preview, isSeen: false } }],
    ["a spent cap", SPEND, CONTEXT],
  ])("answers nothing where a no is selected first: %s", (_, parts, context) => {
    const { ui, effects } = pressAt(context, ask(parts), ..."yes");
    expect(effects).toEqual([]);
    const sent = pressAt(context, ui, "\r");
    const replies = sent.effects.flatMap((effect) => (effect.type === "answer" ? [effect.reply.decision] : []));
    expect(replies.filter((decision) => decision !== "reject")).toEqual([]);
  });

  test("is no reason of a no, and other words still are one", () => {
    const risky = { ...QUESTION, hazards: ["deletes files"] };
    expect(press(ask(risky), "y", "\r")).toMatchObject({ effects: [], ui: { asking: { why: undefined } } });
    expect(press(ask(QUESTION), ..."yes, but with bun", "\r").effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "reject", message: "yes, but with bun" } },
    ]);
    expect(press(ask(CREDENTIAL), ..."yeah", "\r").effects).toMatchObject([{ reply: { decision: "reject" } }]);
  });

  test.each([
    ["y", "y"],
    ["ok", "yes"],
  ])("is dropped by escape: %s, escape, %s says yes", (first, second) => {
    const left = press(ask(QUESTION), ...first, ESC);
    expect(left.ui.asking).toMatchObject({ choice: "1", why: undefined, keptWhy: undefined });
    expect(press(left.ui, ...second, "\r").effects).toEqual([{ type: "answer", id: "q", reply: { decision: "once" } }]);
    expect(press(left.ui, ..."sure", "\r").effects).toMatchObject([{ reply: { message: "sure" } }]);
  });
});

describe("escape from the reason of a no", () => {
  test.each([
    ["typed at once", ["n"], "1"],
    ["typed at a moved mark", [RIGHT, "n"], "2"],
    ["opened by its number", ["4", "n"], "1"],
  ])("leaves the mark where it was: %s", (_, keys, mark) => {
    const { ui } = press(ask(QUESTION), ...keys, ESC);
    expect(dialogOf(ui)).toMatchObject({ choice: mark, why: undefined, keptWhy: { text: "n" } });
    expect(dialogOf(ui)?.isMoved ?? false).toBe(keys.includes(RIGHT));
  });
});

describe("words with a yes", () => {
  test.each<[string, QuestionParts, readonly string[], Reply | undefined]>([
    ["the marked one", QUESTION, ["\t"], { decision: "once", message: "then lint" }],
    ["a wider one", QUESTION, [RIGHT, "\t"], { decision: "session", message: "then lint" }],
    ["a part of a change", EDIT, [" ", "\t"], { decision: "once", hunks: [1, 2, 3, 4], message: "then lint" }],
    ["a plan", PLAN, ["\t"], { decision: "once", message: "then lint" }],
    ["no", QUESTION, [LEFT, "\t"], { decision: "reject", message: "then lint" }],
    [
      "a dangerous call: its no is marked",
      { ...QUESTION, hazards: ["x"] },
      ["\t"],
      { decision: "reject", message: "then lint" },
    ],
    [
      "a dangerous call, of which yes was chosen",
      { ...QUESTION, hazards: ["x"] },
      [RIGHT, "\t"],
      { decision: "once", message: "then lint" },
    ],
    [
      "a call of a hook, which takes none",
      { ...QUESTION, input: {} },
      ["\t"],
      { decision: "reject", message: "then lint" },
    ],
    [
      "an offer with a second step, which takes none",
      CONFINABLE,
      [LEFT, LEFT, "\t"],
      { decision: "reject", message: "then lint" },
    ],
  ])("are typed after tab: %s", (_, question, keys, reply) => {
    expect(replied(question, ...keys, ..."then lint", "\r")).toEqual(reply);
  });

  test("are none where nothing is typed, and escape goes back to the answers", () => {
    expect(replied(QUESTION, "\t", "\r")).toEqual({ decision: "once" });
    expect(replied(QUESTION, "\t", ..."yes", "\r")).toEqual({ decision: "once" });
    const back = press(ask(QUESTION), RIGHT, "\t", ..."lint", ESC).ui;
    expect(dialogOf(back)).toMatchObject({ choice: "2", why: undefined, keptWhy: { text: "lint" } });
    expect(press(back, "\t", "\r").effects).toEqual([
      { type: "answer", id: "q", reply: { decision: "session", message: "lint" } },
    ]);
  });

  test("that say no are a no", () => {
    for (const word of ["n", "no", "NO"])
      expect(replied(QUESTION, "\t", ...word, "\r")).toEqual({ decision: "reject" });
  });

  test("are no yes if a smaller window cuts the command meanwhile", () => {
    const typing = press(ask(QUESTION), "\t", ..."lint").ui;
    const cut = pressAt({ ...CONTEXT, preview: { ...CONTEXT.preview, isSeen: false } }, typing, "\r");
    expect([cut.effects, dialogOf(cut.ui)?.why, dialogOf(cut.ui)?.keptWhy?.text]).toEqual([[], undefined, "lint"]);
  });

  test("go to the prompt if the question is withdrawn", () => {
    expect(syncQuestion(press(ask(QUESTION), "\t", ..."lint").ui, [], NOW).editor.text).toBe("lint");
  });

  test.each(["1", "2", "3", "0", ESC, "\r"])(
    "that were kept go to the prompt with an answer that takes none: %j",
    (key) => {
      const answered = press({ ...press(ask(QUESTION), "\t", ..."lint", ESC).ui, editor: editorWith("draft") }, key);
      expect(answered.effects).toHaveLength(1);
      expect([answered.ui.editor.text, dialogOf(answered.ui)?.keptWhy]).toEqual(["draft\nlint", undefined]);
      // They do not hold back the next question.
      const next = syncQuestion(answered.ui, [questionOf({ ...QUESTION, id: "next" })], NOW);
      expect(dialogOf(next)?.typing).toBeUndefined();
    },
  );

  test("that are only a no do not go to the prompt", () => {
    expect(press(ask(QUESTION), "n", ESC, "1").ui.editor.text).toBe("");
  });

  test("are no reason of a no when the mark has moved, and become a draft", () => {
    const kept = press(ask(QUESTION), "\t", ..."then lint", ESC).ui;
    for (const keys of [[LEFT, "\t"], ["4"]]) {
      const said = press(kept, ...keys, ..."use bun", "\r");
      expect(said.effects).toMatchObject([{ reply: { decision: "reject", message: "use bun" } }]);
      expect(said.ui.editor.text).toBe("then lint");
    }
    expect(press(kept, ..."use bun", "\r").effects).toMatchObject([{ reply: { message: "use bun" } }]);
    expect(press(kept, RIGHT, "\t", "\r").effects).toMatchObject([
      { reply: { decision: "session", message: "then lint" } },
    ]);
    const both = press(kept, ..."use bun", ESC).ui;
    expect([both.editor.text, dialogOf(both)?.keptWhy?.text]).toEqual(["then lint", "use bun"]);
    expect(press(both, "\t", ..."and", "\r").effects).toMatchObject([{ reply: { decision: "once", message: "and" } }]);
  });

  test("that were kept stay when a typed yes does not count", () => {
    const risky = { ...QUESTION, hazards: ["deletes files"] };
    const kept = press(ask(risky), RIGHT, "\t", ..."then lint", ESC).ui;
    const asked = press(kept, ..."yes", "\r");
    expect([asked.effects, dialogOf(asked.ui)?.problem]).toMatchObject([[], expect.stringContaining("must be chosen")]);
    expect(press(asked.ui, RIGHT, "\t", "\r").effects).toMatchObject([
      { reply: { decision: "once", message: "then lint" } },
    ]);
  });

  test("that were kept and then sent are no draft", () => {
    const sent = press(press(ask(QUESTION), "\t", ..."lint", ESC).ui, "\t", "\r");
    expect([sent.effects.length, sent.ui.editor.text]).toEqual([1, ""]);
  });

  test("are asked for by a tab that was meant for the question", () => {
    const next = syncQuestion(press(ask(QUESTION), "1").ui, [questionOf({ ...QUESTION, id: "next" })], NOW);
    expect(dialogOf(pressAt({ ...CONTEXT, nowMs: NOW + 1 }, next, "\t").ui)?.why).toBeUndefined();
  });

  test("leave ctrl+e to the text", () => {
    expect(dialogOf(press(ask(QUESTION), "\t", "a", CTRL_E).ui)?.isExplained).toBeUndefined();
  });
});

describe("a typed command", () => {
  const commands = [{ name: "agents", summary: "", argumentHint: "", aliases: ["crew"] }];
  const pressIn = (ui: Ui, ...pieces: readonly string[]) => pressAt({ ...CONTEXT, commands }, ui, ...pieces);

  test.each([
    ["key by key", [..."/agents"]],
    ["at once", ["/agents"]],
    ["by its other name, with an argument", ["/Crew list"]],
    ["with a yes", ["\t", "/agents"]],
  ])("is no answer: it waits with its text, and says so: %s", (_, keys) => {
    const waits = pressIn(ask(QUESTION), ...keys, "\r");
    expect(waits.effects).toEqual([]);
    const typed = keys.join("").trim();
    expect(dialogOf(waits.ui)).toMatchObject({ why: { text: typed }, problem: COMMANDS_WAIT });
    expect(dialogOf(pressIn(waits.ui, "!").ui)?.problem).toBeUndefined();
    const left = pressIn(waits.ui, ESC);
    expect(dialogOf(left.ui)?.problem).toBeUndefined();
    expect(pressIn(left.ui, "1").ui.editor.text).toBe(typed);
  });

  test("is none if no command has its name: a path is the reason of a no", () => {
    for (const words of ["/tmp", "/tmp/a is mine", "see /agents"])
      expect(pressIn(ask(QUESTION), words, "\r").effects).toMatchObject([{ reply: { message: words } }]);
  });

  test("is no no to a question without a reason line", () => {
    const waits = pressIn(ask(CREDENTIAL), ..."/agents", "\r");
    expect([waits.effects, dialogOf(waits.ui)?.problem]).toEqual([[], COMMANDS_WAIT]);
  });

  test("goes on with a draft", () => {
    const drafted = ask(QUESTION, { ...emptyUi, editor: editorWith("src") });
    expect(pressAt({ ...CONTEXT, commands, nowMs: NOW + HOLD_MS }, drafted, "/").ui.editor.text).toBe("src/");
  });
});

describe("ctrl+e", () => {
  const explained = (question: QuestionParts, ...keys: readonly string[]) =>
    dialogOf(press(ask(question), ...keys).ui)?.isExplained;

  test("explains, and again hides it; of a dangerous call, the details are shown at first", () => {
    expect([explained(QUESTION, CTRL_E), explained(QUESTION, CTRL_E, CTRL_E)]).toEqual([true, false]);
    expect(explained({ ...QUESTION, isOutside: true }, CTRL_E)).toBe(false);
  });

  test("is undone by escape, which then says no; details that are shown at first don't keep it from that", () => {
    expect([explained(QUESTION, CTRL_E, ESC), replied(QUESTION, CTRL_E, ESC)]).toEqual([false, undefined]);
    expect(replied(QUESTION, CTRL_E, ESC, ESC)).toEqual({ decision: "reject" });
    expect(replied({ ...QUESTION, isOutside: true }, ESC)).toEqual({ decision: "reject" });
  });
});

describe("ctrl+e without details to show", () => {
  const bare: QuestionParts = { ...PLAN, suggestions: [], sessionRules: [] };

  test("does nothing, so that one escape says no", () => {
    const pressed = press(ask(bare), CTRL_E);
    expect(dialogOf(pressed.ui)?.isExplained).toBeUndefined();
    expect(replied(bare, CTRL_E, ESC)).toEqual({ decision: "reject" });
  });
});

describe("shift+tab in a question", () => {
  const context: UiContext = { ...CONTEXT, mode: "default", modes: ["default", "acceptEdits"] };
  const effects = (at: UiContext, ui: Ui) => pressAt(at, ui, SHIFT_TAB).effects;

  test("changes the mode, and the question stays until the engine closes it", () => {
    const { ui, effects: done } = pressAt(context, ask(EDIT), SHIFT_TAB);
    expect([done, ui.asking?.question.id]).toEqual([[{ type: "mode", mode: "acceptEdits" }], "q"]);
  });

  test("does nothing while the question can't be read, or has just followed another", () => {
    expect(effects({ ...context, preview: { ...CONTEXT.preview, isReadable: false } }, ask(EDIT))).toEqual([]);
    const next = syncQuestion(press(ask(QUESTION), "1").ui, [questionOf({ ...EDIT, id: "next" })], NOW);
    expect(effects({ ...context, nowMs: NOW + 1 }, next)).toEqual([]);
  });
});
