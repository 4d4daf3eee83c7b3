import { describe, expect, test } from "bun:test";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { initialVim } from "../../../../src/faces/repl/editor/vim/vim-state.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { shownSuggestions, withSuggestions } from "../../../../src/faces/repl/layers/field-suggestions.ts";
import type { Room } from "../../../../src/faces/repl/layers/layer.ts";
import { openLayers } from "../../../../src/faces/repl/layers/layer-stack.ts";
import { mentionedPath, templateWord } from "../../../../src/faces/repl/layers/mention-rows.ts";
import { openPicker, shownChoices } from "../../../../src/faces/repl/layers/picker.ts";
import { takeBack } from "../../../../src/faces/repl/layers/prompt-layer.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import {
  type Effect,
  emptyUi,
  type Ui,
  type UiContext,
  type Waiting,
} from "../../../../src/faces/repl/layers/ui-state.ts";
import type { ShownTask } from "../../../../src/faces/repl/tasks/shown-tasks.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { parseCommand } from "../../../../src/protocol/commands/slash-commands.ts";
import { pressKeys } from "../../../support/press-keys.ts";
import { dialogOf, questionOf } from "../../../support/question.ts";
import { agentTask, shellTask } from "../../../support/shown-tasks.ts";

const ESC = "\u001b";
const UP = `${ESC}[A`;
const DOWN = `${ESC}[B`;
const CONTEXT: UiContext = {
  isBusy: false,
  isStopping: false,
  nowMs: 10_000,
  columns: 40,
  commands: [
    { name: "clear", summary: "", argumentHint: "" },
    { name: "cost", summary: "", argumentHint: "" },
    { name: "model", summary: "", argumentHint: "[name]" },
  ],
  mode: "default",
  modes: ["default", "acceptEdits", "plan", "auto"],
  preview: { from: 0, maxScroll: 12, rows: 6, anchors: [], isReadable: true, isSeen: true },
  canEdit: true,
  questionCount: 1,
  keymap: DEFAULT_KEYMAP,
};
const BUSY = { ...CONTEXT, isBusy: true };

const question = (id: string, suggestions: readonly string[] = ["Bash(x)"]) =>
  questionOf({ id, toolUseId: id, preview: { kind: "text", text: "x" }, suggestions, sessionRules: suggestions });

const typed = (...pieces: readonly string[]) => pressKeys(emptyUi, CONTEXT, ...pieces);
const submit = (text: string): Effect => ({ type: "submit", text, remembered: text });

describe("the prompt", () => {
  test("enter sends what was typed and clears it", () => {
    const { ui, effects } = typed("hello", "\r");
    expect(effects).toEqual([submit("hello")]);
    expect(ui.editor.text).toBe("");
    expect(ui.history.entries).toEqual(["hello"]);
  });

  test.each(["exit", " quit "])("the word %j alone leaves at once if nothing would be lost", (word) => {
    expect(typed(word, "\r").effects).toEqual([{ type: "leave" }]);
    const attached = { ...BUSY, isDetachable: true };
    expect(pressKeys(emptyUi, attached, word, "\r").effects).toEqual([{ type: "leave" }]);
    expect(typed(`${word} now`, "\r").effects).toEqual([submit(`${word} now`)]);
  });

  const running = (info: ShownTask["info"]): ShownTask => ({ info, startedAt: 0, seenAt: 0, endedAt: undefined });
  test.each<[string, Partial<Ui>, Partial<UiContext>]>([
    ["ends the turn", {}, { isBusy: true }],
    ["ends a command", {}, { isBusy: true, isOperating: true }],
    ["ends 1 task", {}, { tasks: [running(shellTask("b1", "x")), running(shellTask("b2", "y", { isKept: true }))] }],
    ["drops 2 inputs", { queue: [{ id: "1", shown: "a", pastes: new Map(), when: "later" }], unlisted: 1 }, {}],
    ["ends the turn, drops the stashed draft", { stash: "later" }, { isBusy: true }],
  ])("the word exit asks once if it %s", (loss, change, lossy) => {
    const context = { ...CONTEXT, columns: 80, ...lossy };
    const asked = pressKeys({ ...emptyUi, ...change }, context, "exit", "\r");
    expect([asked.effects, asked.ui.armed?.says]).toEqual([[], `enter again ${loss}, and leaves`]);
    expect(pressKeys(asked.ui, context, "\r").effects).toEqual([{ type: "leave" }]);
    // The word replaces itself, as a line of a plain screen does, and other text replaces it too.
    expect(pressKeys(asked.ui, context, "quit", "\r").effects).toEqual([{ type: "leave" }]);
    const other = pressKeys(asked.ui, context, "go on", "\r");
    expect(other.effects).toMatchObject([{ text: "go on" }]);
    expect(pressKeys({ ...other.ui, ...change, editor: emptyUi.editor }, context, "exit", "\r").effects).toEqual([]);
    expect(pressKeys(asked.ui, { ...context, nowMs: 20_001 }, "\r").effects).toEqual([]);
  });

  test("/exit asks as the word does, also from the list of commands", () => {
    const command = { name: "exit", summary: "Leave", argumentHint: "", aliases: ["quit"] };
    const idle = { ...CONTEXT, columns: 80, commands: [command] };
    const lossy = { ...idle, tasks: [running(shellTask("b1", "x"))] };
    expect(pressKeys(emptyUi, idle, "/exit", "\r").effects).toEqual([submit("/exit")]);
    for (const typedText of ["/exit", "/ex"]) {
      const asked = pressKeys(emptyUi, lossy, typedText, "\r");
      expect([asked.effects, asked.ui.armed?.says]).toEqual([[], "enter again ends 1 task, and leaves"]);
      expect(asked.ui.editor.text).toBe("/exit");
      expect(pressKeys(asked.ui, lossy, "\r").effects).toEqual([submit("/exit")]);
    }
    for (const typedText of ["/QUIT", "/exit now"])
      expect(pressKeys(emptyUi, lossy, typedText, "\r").effects).toEqual([]);
  });

  test.each([
    ["other text", ["x", "\x7f", "exit", "\r"]],
    ["a step of the cursor", [`${ESC}[D`, "\r"]],
    ["backspace", ["\x7f", "exit", "\r"]],
    ["a command", ["/exi", "\x7f", "\x15", "exit", "\r"]],
  ])("%s withdraws the agreement to leave, and the word asks again", (_, keys) => {
    const asked = pressKeys(emptyUi, { ...BUSY, columns: 80 }, "exit", "\r");
    const again = pressKeys(asked.ui, { ...BUSY, columns: 80 }, ...keys);
    expect([again.effects, again.ui.armed?.says]).toEqual([[], "enter again ends the turn, and leaves"]);
  });

  test("tab on the word exit asks during a turn, and never queues it", () => {
    const context = { ...BUSY, columns: 80 };
    const asked = pressKeys(emptyUi, context, "exit", "\t");
    expect([asked.effects, asked.ui.armed?.says]).toEqual([[], "enter again ends the turn, and leaves"]);
    const twice = pressKeys(asked.ui, { ...context, nowMs: context.nowMs + 100 }, "\t");
    expect([twice.effects, twice.ui.armed?.says]).toEqual([[], "enter again ends the turn, and leaves"]);
    expect(pressKeys(twice.ui, { ...context, nowMs: context.nowMs + 200 }, "\r").effects).toEqual([{ type: "leave" }]);
  });

  test("ctrl+c says at its first press what a second one ends", () => {
    const lossy = { ...CONTEXT, columns: 80, tasks: [running(shellTask("b1", "x"))] };
    const once = pressKeys(emptyUi, lossy, "\x03");
    expect([once.effects, once.ui.armed?.says]).toEqual([[], "ctrl+c again ends 1 task, and leaves"]);
    expect(pressKeys(once.ui, { ...lossy, nowMs: lossy.nowMs + 1_000 }, "\x03").effects).toEqual([{ type: "leave" }]);
    const stopping = { ...BUSY, isStopping: true, columns: 80 };
    expect(pressKeys(emptyUi, stopping, "\x03").ui.armed?.says).toBe("ctrl+c again to leave");
    expect(pressKeys(emptyUi, CONTEXT, "\x03").ui.armed?.says).toBe("ctrl+c again to leave");
  });

  test.each([
    [100, "enter again ends the turn, drops 1 input and the stashed draft, and leaves"],
    [58, "enter again leaves, and loses work"],
    [38, "enter again leaves"],
  ])("the question about the word exit fits into the status line of a prompt of %d columns", (columns, says) => {
    const ui = { ...emptyUi, stash: "later", unlisted: 1 };
    expect(pressKeys(ui, { ...BUSY, columns }, "exit", "\r").ui.armed?.says).toBe(says);
  });

  test("nothing is sent for nothing", () => {
    expect(typed("\r", "  ", "\r").effects).toEqual([]);
  });

  test.each([
    ["ctrl+j", "\n"],
    ["shift+enter", `${ESC}[13;2u`],
    ["alt+enter", `${ESC}\r`],
  ])("%s makes a new line", (_, key) => {
    const { ui, effects } = typed("a", key, "b");
    expect([ui.editor.text, effects]).toEqual(["a\nb", []]);
  });

  test("a backslash before enter makes a new line", () => {
    expect(typed("a\\", "\r", "b", "\r").effects).toEqual([submit("a\nb")]);
  });

  test("a paste never sends, whatever it holds", () => {
    const { ui, effects } = typed(`${ESC}[200~one\rtwo\r${ESC}[201~`);
    expect([ui.editor.text, effects]).toEqual(["one\ntwo\n", []]);
  });

  test("a large paste is one thing: sent whole, erased whole, opened by ctrl+o", () => {
    const large = "line\n".repeat(20);
    const pasted = typed("see ", `${ESC}[200~${large}${ESC}[201~`).ui;
    expect(pasted.editor.text).toBe("see [pasted 20 lines]");
    const draft = { shown: "see [pasted 20 lines]", pastes: pasted.pastes };
    expect(pressKeys(pasted, CONTEXT, "\r").effects).toMatchObject([{ text: `see ${large}`, draft }]);
    expect(pressKeys(pasted, CONTEXT, "\u007f").ui.editor.text).toBe("see ");
    expect(pressKeys(pasted, CONTEXT, `${ESC}o`).ui.editor.text).toBe(`see ${large}`);
  });

  test("a paste that is too large for a line of the history is kept beside it; ↑ brings it back whole", () => {
    const huge = "a line of text\n".repeat(1_000);
    const { ui, effects } = typed("see ", `${ESC}[200~${huge}${ESC}[201~`, "\r");
    expect(effects).toMatchObject([{ type: "submit", text: `see ${huge}`, remembered: "see [pasted 1000 lines]" }]);
    const [sent] = effects;
    expect(sent?.type === "submit" && [...(sent.keeps ?? [])]).toEqual([["[pasted 1000 lines]", huge]]);
    const again = pressKeys(ui, CONTEXT, `${ESC}[200~${huge}${ESC}[201~`).ui;
    expect(again.editor.text).toBe("[pasted 1000 lines]");
    const back = pressKeys(again, CONTEXT, UP).ui;
    expect(back.editor.text).toBe("see [pasted 1000 lines]");
    expect(pressKeys(back, CONTEXT, "\r").effects).toMatchObject([{ type: "submit", text: `see ${huge}` }]);
  });

  test("pastes of one size keep apart in the history, and the search finds words in them", () => {
    const paste = (word: string) => `${ESC}[200~${`${word}\n`.repeat(12)}${ESC}[201~`;
    const { ui } = typed("see ", paste("red"), "\r", "see ", paste("blue"), "\r");
    const sent = (now: Ui) =>
      pressKeys(now, CONTEXT, "\r").effects.map((effect) => effect.type === "submit" && effect.text);
    expect(sent(pressKeys(ui, CONTEXT, UP).ui)).toEqual([`see ${"blue\n".repeat(12)}`]);
    const older = pressKeys(ui, CONTEXT, UP, UP).ui;
    expect(older.editor.text).toBe("see [pasted 12 lines]");
    expect(sent(older)).toEqual([`see ${"red\n".repeat(12)}`]);
    expect(sent(pressKeys(ui, CONTEXT, "\u0012", "red", "\r").ui)).toEqual([`see ${"red\n".repeat(12)}`]);
  });

  test("the oldest pastes go when there are too many, and their entries say so", () => {
    let { ui } = typed();
    for (let at = 0; at < 210; at += 1)
      ui = pressKeys(ui, CONTEXT, `${ESC}[200~${`line ${at}\n`.repeat(12)}${ESC}[201~`, "\r").ui;
    expect(ui.pastes.size).toBe(200);
    expect(ui.history.entries.slice(9, 11)).toEqual(["[pasted 12 lines, not kept]", "[pasted 12 lines #11]"]);
  });

  test("up and down go through lines, then through the history", () => {
    const before = pressKeys(emptyUi, CONTEXT, "first", "\r", "second", "\r", "a", "\n", "b").ui;
    const once = pressKeys(before, CONTEXT, UP).ui;
    expect([once.editor.text, once.editor.cursor]).toEqual(["a\nb", 1]);
    const twice = pressKeys(once, CONTEXT, UP).ui;
    expect(twice.editor.text).toBe("second");
    expect(pressKeys(twice, CONTEXT, UP).ui.editor.text).toBe("first");
    expect(pressKeys(twice, CONTEXT, DOWN).ui.editor.text).toBe("a\nb");
  });

  test("? shows the keys only when nothing is typed, and goes with the next key", () => {
    const shown = typed("?").ui;
    expect([shown.showsKeys, shown.editor.text]).toEqual([true, ""]);
    expect(pressKeys(shown, CONTEXT, "x").ui.showsKeys).toBe(false);
    expect(pressKeys(shown, CONTEXT, ESC).ui.showsKeys).toBe(false);
    expect(typed("what?").ui.editor.text).toBe("what?");
  });

  test("shift+tab goes through the modes", () => {
    const next = (mode: UiContext["mode"]) => pressKeys(emptyUi, { ...CONTEXT, mode }, `${ESC}[Z`).effects;
    expect([next("default"), next("acceptEdits"), next("plan"), next("auto")]).toEqual([
      [{ type: "mode", mode: "acceptEdits" }],
      [{ type: "mode", mode: "plan" }],
      [{ type: "mode", mode: "auto" }],
      [{ type: "mode", mode: "default" }],
    ]);
    expect(next("bypassPermissions")).toEqual([{ type: "mode", mode: "default" }]);
  });
});

describe("commands", () => {
  test.each([
    ["/help", { name: "help", argument: "" }],
    ["  /model  big one ", { name: "model", argument: "big one" }],
    ["/usr/bin/env is what?", undefined],
    ["/", undefined],
    ["not /help", undefined],
  ])("%j is parsed", (text, parsed) => {
    expect(parseCommand(text)).toEqual(parsed as never);
  });

  test("tab completes, enter takes what is chosen, arrows choose", () => {
    expect(typed("/m", "\t").ui.editor.text).toBe("/model ");
    expect(typed("/c", "\r").effects).toEqual([submit("/clear")]);
    expect(typed("/c", DOWN, "\r").effects).toEqual([submit("/cost")]);
    expect(typed("/c", UP, "\r").effects).toEqual([submit("/cost")]);
  });

  test("finds a command by another name", () => {
    const exit = { name: "exit", aliases: ["quit"], summary: "", argumentHint: "" };
    const context = { ...CONTEXT, commands: [exit, ...CONTEXT.commands] };
    expect(pressKeys(emptyUi, context, "/qu", "\r").effects).toEqual([submit("/exit")]);
  });

  test("escape closes the list and leaves the text", () => {
    const closed = typed("/c", ESC).ui;
    expect(closed.editor.text).toBe("/c");
    expect(pressKeys(closed, CONTEXT, "\r").effects).toEqual([submit("/c")]);
  });

  test("run at once, even while a turn runs", () => {
    expect(pressKeys(emptyUi, BUSY, "/cost", "\r").effects).toEqual([submit("/cost")]);
  });
});

describe("while a turn runs", () => {
  const enqueue = (text: string, when: Waiting["when"]): Effect => ({
    type: "enqueue",
    when,
    shown: text,
    pastes: new Map(),
    text,
    remembered: text,
  });
  const waiting = (id: string, when: Waiting["when"] = "next"): Waiting => ({ id, shown: id, pastes: new Map(), when });
  const withQueue = (...queue: readonly Waiting[]): Ui => ({ ...emptyUi, queue });

  test("enter steers, tab sends as the next turn, a shell command waits for both", () => {
    const { ui, effects } = pressKeys(emptyUi, BUSY, "one", "\r", "two", "\t", "!three", "\r", "!four", "\t");
    expect(effects).toEqual([
      enqueue("one", "steer"),
      enqueue("two", "next"),
      enqueue("!three", "shell"),
      enqueue("!four", "shell"),
    ]);
    expect(ui.editor.text).toBe("");
    expect(pressKeys(ui, BUSY, UP).ui.editor.text).toBe("!four");
  });

  test("tab sends nothing that is empty or a command, and nothing when no turn runs", () => {
    expect(pressKeys(emptyUi, BUSY, "\t", " ", "\t").effects).toEqual([]);
    expect(pressKeys(emptyUi, BUSY, "/model x", "\t").effects).toEqual([]);
    const idle = typed("one", "\t");
    expect([idle.ui.editor.text, idle.effects]).toEqual(["one", []]);
  });

  test("up on an empty prompt takes the newest back; what comes later is nobody's to take", () => {
    const ui = withQueue(waiting("a"), waiting("b", "steer"), waiting("c", "later"));
    expect(pressKeys(ui, BUSY, UP).effects).toEqual([{ type: "withdraw", id: "b" }]);
    expect(pressKeys(ui, CONTEXT, UP).effects).toEqual([{ type: "withdraw", id: "b" }]);
    expect(pressKeys(withQueue(waiting("c", "later")), BUSY, UP).effects).toEqual([]);
  });

  test("backspace drops an input that was just taken back as a whole, and undo brings it back", () => {
    const back = takeBack(typed("draft").ui, [{ shown: "two words", pastes: new Map() }]);
    expect(back.editor.text).toBe("two words\ndraft");
    const dropped = pressKeys(back, CONTEXT, "\u007f").ui;
    expect([dropped.editor.text, dropped.armed]).toEqual(["draft", undefined]);
    expect(pressKeys(dropped, CONTEXT, "\u001f").ui.editor.text).toBe("two words\ndraft");
    // Any other key means that the person edits it.
    expect(pressKeys(back, CONTEXT, "x", "\u007f", "\u007f").ui.editor.text).toBe("two words\ndraf");
  });

  test("up with a draft takes the newest out of the queue as well, instead of copying it from the history", () => {
    const sent = pressKeys(emptyUi, BUSY, "steer it", "\r").ui;
    const ui: Ui = { ...sent, queue: [waiting("steer it", "steer")] };
    expect(pressKeys(ui, BUSY, "x", UP)).toMatchObject({
      ui: { editor: { text: "x" } },
      effects: [{ type: "withdraw", id: "steer it" }],
    });
    // In the second row the cursor goes up first.
    expect(pressKeys(ui, BUSY, "x", "\n", "y", UP).effects).toEqual([]);
    expect(pressKeys(sent, BUSY, "x", UP)).toMatchObject({ ui: { editor: { text: "steer it" } }, effects: [] });
  });

  test("enter on an empty prompt sends what waits on, but only when nothing runs", () => {
    const ui = withQueue(waiting("a"));
    expect(pressKeys(ui, CONTEXT, "\r").effects).toEqual([{ type: "take_queued" }]);
    expect(pressKeys(ui, BUSY, "\r").effects).toEqual([]);
    expect(typed("\r").effects).toEqual([]);
  });

  test("waiting inputs keep their pastes separate", () => {
    const paste = (char: string) => `${ESC}[200~${`${char}\n`.repeat(20)}${ESC}[201~`;
    const queued = pressKeys(emptyUi, BUSY, paste("a"), "\r", paste("b"), "\r");
    const drafts = queued.effects.flatMap((effect) => (effect.type === "enqueue" ? [effect] : []));
    expect(drafts.map(({ text }) => text)).toEqual(["a\n".repeat(20), "b\n".repeat(20)]);
    const back = takeBack(queued.ui, drafts);
    expect(pressKeys(back, CONTEXT, "\r").effects[0]).toMatchObject({
      text: `${"a\n".repeat(20)}\n${"b\n".repeat(20)}`,
    });
  });

  test("escape interrupts, and clears nothing", () => {
    const { ui, effects } = pressKeys(emptyUi, BUSY, "draft", ESC);
    expect([ui.editor.text, effects]).toEqual(["draft", [{ type: "interrupt" }]]);
    expect(typed("draft", ESC).effects).toEqual([]);
  });

  test("escape twice clears the draft while nothing runs, except with vim keys", () => {
    const cleared = typed("draft", ESC, ESC).ui;
    expect([cleared.editor.text, cleared.armed]).toEqual(["", undefined]);
    expect(pressKeys(cleared, CONTEXT, "\u001f").ui.editor.text).toBe("draft");
    expect(typed("draft", ESC, "x", ESC).ui.editor.text).toBe("draftx");
    const late = pressKeys(typed("draft", ESC).ui, { ...CONTEXT, nowMs: 12_001 }, ESC).ui;
    expect(late.editor.text).toBe("draft");
    const vim = { ...typed("draft").ui, vim: { ...initialVim, mode: "normal" as const } };
    expect(pressKeys(vim, CONTEXT, ESC, ESC).ui.editor.text).toBe("draft");
  });

  test("keys open a command's list over the draft, which stays", () => {
    const { ui, effects } = typed("draft", `${ESC}p`, `${ESC}t`);
    expect(effects).toEqual([
      { type: "submit", text: "/model", remembered: "" },
      { type: "submit", text: "/thinking", remembered: "" },
    ]);
    expect([ui.editor.text, ui.answeredAt]).toEqual(["draft", CONTEXT.nowMs]);
  });
});

describe("a chord", () => {
  const CTRL_X = "\u0018";
  const CTRL_E = "\u0005";
  const CTRL_K = "\u000b";
  const at = (nowMs: number): UiContext => ({ ...CONTEXT, nowMs });
  const agent = (id: string, rest: Partial<ShownTask> = {}): ShownTask => ({
    ...{ info: agentTask(id, "Explore", "look"), startedAt: 0, seenAt: 0, endedAt: undefined },
    ...rest,
  });

  test("acts at its last key, and only in its time", () => {
    const begun = typed("draft", CTRL_X);
    expect(begun.effects).toEqual([]);
    expect(begun.ui.chord).toMatchObject({ keys: "ctrl+x", until: 13_000 });
    expect(begun.ui.chord?.next).toContain("ctrl+e");
    const edited = pressKeys(begun.ui, at(13_000), CTRL_E);
    expect([edited.ui.chord, edited.effects]).toEqual([undefined, [{ type: "edit_draft", text: "draft" }]]);
    const late = pressKeys(begun.ui, at(13_001), CTRL_E);
    expect([late.ui.chord, late.effects, late.ui.editor.text]).toEqual([undefined, [], "draft"]);
  });

  test("that no key continues is dropped: words and ctrl+c take effect, other keys don't", () => {
    expect(typed("a", CTRL_X, "b").ui).toMatchObject({ editor: { text: "ab" }, chord: undefined });
    expect(typed("a", CTRL_X, "bcd").ui).toMatchObject({ editor: { text: "abcd" }, chord: undefined });
    expect(typed("a", CTRL_X, ESC).ui).toMatchObject({ editor: { text: "a" }, chord: undefined, armed: undefined });
    expect(typed("a", CTRL_X, "\r")).toMatchObject({ effects: [], ui: { editor: { text: "a" }, chord: undefined } });
    expect(pressKeys(typed("a", CTRL_X).ui, BUSY, "\u0003").effects).toEqual([{ type: "interrupt" }]);
  });

  test("is none where its keys are bound to nothing", () => {
    const viewer: Ui = { ...emptyUi, viewer: { isSearching: false, showsKeys: false } };
    expect(pressKeys(viewer, CONTEXT, CTRL_X).ui.chord).toBeUndefined();
  });

  test("stops the agents of the background when it is pressed twice", () => {
    const tasks = [
      agent("a1"),
      agent("a2", { endedAt: 5 }),
      agent("a3", { info: agentTask("a3", "Explore", "look", { isBackground: false }) }),
      agent("a4"),
      agent("b1", { info: shellTask("b1", "x") }),
    ];
    const once = pressKeys(emptyUi, { ...CONTEXT, tasks }, CTRL_X, CTRL_K);
    expect(once.effects).toEqual([]);
    expect(once.ui.armed?.says).toContain("2 agents");
    expect(pressKeys(once.ui, { ...CONTEXT, tasks }, CTRL_X, CTRL_K).effects).toEqual([
      { type: "task", does: "stop", id: "a1" },
      { type: "task", does: "stop", id: "a4" },
    ]);
    expect(pressKeys(once.ui, { ...CONTEXT, tasks }, "x", CTRL_X, CTRL_K).effects).toEqual([]);
    expect(pressKeys(once.ui, { ...at(14_001), tasks }, CTRL_X, CTRL_K).effects).toEqual([]);
    const none = typed(CTRL_X, CTRL_K, CTRL_X, CTRL_K);
    expect([none.effects, none.ui.armed?.does]).toEqual([[], "nothing"]);
  });
});

test("in the transcript, esc first closes the list of keys; the other keys close the transcript", () => {
  const viewer: Ui = { ...emptyUi, viewer: { isSearching: false, showsKeys: false } };
  const closed = pressKeys(viewer, CONTEXT, "?", ESC).ui;
  expect(closed.viewer).toEqual({ isSearching: false, showsKeys: false });
  expect(pressKeys(closed, CONTEXT, ESC).ui.viewer).toBeUndefined();
  expect(pressKeys(viewer, CONTEXT, "?", "q").ui.viewer).toBeUndefined();
});

describe("leaving", () => {
  test("ctrl+c clears first; then twice in time leaves", () => {
    const cleared = typed("draft", "\u0003");
    expect([cleared.ui.editor.text, cleared.effects]).toEqual(["", []]);
    expect(pressKeys(cleared.ui, CONTEXT, "\u001f").ui.editor.text).toBe("draft");
    const once = pressKeys(cleared.ui, CONTEXT, "\u0003");
    expect(once.effects).toEqual([]);
    expect(pressKeys(once.ui, { ...CONTEXT, nowMs: 12_000 }, "\u0003").effects).toEqual([{ type: "leave" }]);
    expect(pressKeys(once.ui, { ...CONTEXT, nowMs: 12_001 }, "\u0003").effects).toEqual([]);
    expect(pressKeys(once.ui, CONTEXT, "x", "\u0003").effects).toEqual([]);
  });

  test("ctrl+c stops a turn and keeps the draft; only a turn that does not stop is left", () => {
    const stopped = pressKeys(typed("draft").ui, BUSY, "\u0003", "\u0003");
    expect([stopped.ui.editor.text, stopped.effects]).toEqual([
      "draft",
      [{ type: "interrupt" }, { type: "interrupt" }],
    ]);
    const stuck = { ...BUSY, isStopping: true };
    expect(pressKeys(typed("draft").ui, stuck, "\u0003").effects).toEqual([]);
    expect(pressKeys(typed("draft").ui, stuck, "\u0003", "\u0003").effects).toEqual([{ type: "leave" }]);
  });

  test("ctrl+d leaves when pressed twice with nothing typed", () => {
    expect(typed("\u0004").effects).toEqual([]);
    expect(typed("\u0004", "\u0004").effects).toEqual([{ type: "leave" }]);
    expect(typed("ab", "\u0001", "\u0004", "\u0004").ui.editor.text).toBe("");
    expect(typed("ab", "\u0001", "\u0004", "\u0004").effects).toEqual([]);
    expect(typed("\u0003", "\u0004").effects).toEqual([]);
  });
});

describe("a question", () => {
  const asked = (...suggestions: readonly string[]) => syncQuestion(emptyUi, [question("q", suggestions)], 10_000);
  const reply = (decision: object): Effect => ({ type: "answer", id: "q", reply: decision as never });

  test.each([
    ["1", { decision: "once" }],
    ["2", { decision: "session" }],
    ["3", { decision: "always" }],
    ["0", { decision: "reject" }],
    ["\r", { decision: "once" }],
    [ESC, { decision: "reject" }],
  ])("key %j answers", (key, decision) => {
    expect(pressKeys(asked("Bash(x)"), CONTEXT, key).effects).toEqual([reply(decision)]);
  });

  test("arrows move through the answers and around", () => {
    expect(pressKeys(asked("Bash(x)"), CONTEXT, DOWN, DOWN, "\r").effects).toEqual([reply({ decision: "always" })]);
    expect(pressKeys(asked("Bash(x)"), CONTEXT, UP, UP, "\r").effects).toEqual([reply({ decision: "always" })]);
  });

  test("without a rule to keep the second answer is no", () => {
    expect(pressKeys(asked(), CONTEXT, "2", "\r").effects).toEqual([reply({ decision: "reject" })]);
    expect(pressKeys(asked(), CONTEXT, DOWN, "\r", "\r").effects).toEqual([reply({ decision: "reject" })]);
    expect(pressKeys(asked(), CONTEXT, "4").effects).toEqual([]);
  });

  test("no with words sends them to the model; escape goes back", () => {
    expect(pressKeys(asked(), CONTEXT, "2", "use ", "bun", "\r").effects).toEqual([
      reply({ decision: "reject", message: "use bun" }),
    ]);
    expect(pressKeys(asked(), CONTEXT, "2", "\r").effects).toEqual([reply({ decision: "reject" })]);
    const back = pressKeys(asked(), CONTEXT, "2", "x", ESC);
    expect([back.effects, dialogOf(back.ui)?.why]).toEqual([[], undefined]);
    expect(pressKeys(back.ui, CONTEXT, "1").effects).toEqual([reply({ decision: "once" })]);
  });

  test("any other key, and any paste, answers nothing", () => {
    expect(pressKeys(asked("r"), CONTEXT, "y", "n", "9", "\t", `${ESC}[200~1\r${ESC}[201~`, "\u0001").effects).toEqual(
      [],
    );
  });

  test("that comes in the middle of a word gets no answer from it", () => {
    const typing = pressKeys(emptyUi, { ...CONTEXT, nowMs: 9_900 }, "rm 1").ui;
    const ui = syncQuestion(typing, [question("q")], 10_000);
    const early = pressKeys(ui, { ...CONTEXT, nowMs: 10_200 }, "1", ESC);
    expect([early.effects, early.ui.editor.text]).toEqual([[], "rm 11"]);
    // The last key that was typed was at 10,200: a second of rest, then keys are answers.
    expect(pressKeys(early.ui, { ...CONTEXT, nowMs: 11_199 }, ESC).effects).toEqual([]);
    expect(pressKeys(early.ui, { ...CONTEXT, nowMs: 11_200 }, "1").effects).toEqual([reply({ decision: "once" })]);
  });

  test("the preview scrolls within its bounds", () => {
    const scrolled = pressKeys(asked(), CONTEXT, `${ESC}[6~`, `${ESC}[6~`, `${ESC}[6~`).ui;
    expect(scrolled.asking?.scroll).toBe(12);
    expect(pressKeys(scrolled, CONTEXT, `${ESC}[5~`).ui.asking?.scroll).toBe(7);
  });

  test("ctrl+c interrupts the turn that asks", () => {
    expect(pressKeys(asked(), BUSY, "\u0003").effects).toEqual([{ type: "interrupt" }]);
  });

  test("keeps what the person chose while others come and go behind it", () => {
    const ui = pressKeys(asked("r"), CONTEXT, DOWN).ui;
    expect(syncQuestion(ui, [question("q"), question("z")], 10_000)).toBe(ui);
    expect(syncQuestion(ui, [question("z")], 10_000).asking).toMatchObject({ question: { id: "z" }, choice: "1" });
    expect(syncQuestion(ui, [], 10_000).asking).toBeUndefined();
  });
});

test("a list to choose from sends what was chosen, and escape closes it", () => {
  const choices = ["a", "b"].map((label) => ({ label, detail: "", input: `/resume ${label}` }));
  const ui: Ui = { ...emptyUi, picker: { title: "t", choices, index: 0, filter: "" } };
  expect(pressKeys(ui, CONTEXT, DOWN, "\r").effects).toEqual([{ type: "submit", text: "/resume b", remembered: "" }]);
  expect(pressKeys(ui, CONTEXT, UP, "\r").effects).toEqual([{ type: "submit", text: "/resume b", remembered: "" }]);
  expect(pressKeys(ui, CONTEXT, ESC).ui.picker).toBeUndefined();
});

describe("a list to choose from", () => {
  const choices = ["sonnet anthropic", "haiku anthropic", "gpt-6 openai"].map((line, at) => {
    const [label = "", detail = ""] = line.split(" ");
    return { label, detail, input: `/model ${label}`, ...(at === 1 && { isCurrent: true }) };
  });
  const shortcuts = [{ letter: "e", label: "effort", input: "/effort" }];
  const ui: Ui = { ...emptyUi, picker: openPicker({ title: "t", choices, shortcuts }) };

  test("begins at what is in force", () => {
    expect(pressKeys(ui, CONTEXT, "\r").effects).toEqual([{ type: "submit", text: "/model haiku", remembered: "" }]);
  });

  test("is narrowed by typing, word by word, over all that a line says", () => {
    const narrowed = pressKeys(ui, CONTEXT, "AN", "t", "h", " ", "hai").ui;
    expect(narrowed.picker && shownChoices(narrowed.picker).map(({ label }) => label)).toEqual(["haiku"]);
    expect(pressKeys(narrowed, CONTEXT, "\r").effects).toMatchObject([{ text: "/model haiku" }]);
    const wider = pressKeys(narrowed, CONTEXT, "\u007f".repeat(4)).ui;
    expect(wider.picker && shownChoices(wider.picker)).toHaveLength(2);
    expect(pressKeys(narrowed, CONTEXT, ESC).ui.picker?.filter).toBe("");
    expect(pressKeys(narrowed, CONTEXT, ESC, ESC).ui.picker).toBeUndefined();
  });

  test("where nothing fits, enter chooses nothing and the list stays", () => {
    const { ui: none, effects } = pressKeys(ui, CONTEXT, "nothing", "\r", UP, DOWN, "\r");
    expect([none.picker?.index, effects]).toEqual([0, []]);
  });

  test("is gone through with the arrows of either direction", () => {
    const index = (...keys: readonly string[]) => pressKeys(ui, CONTEXT, ...keys).ui.picker?.index;
    expect([index(DOWN), index(`${ESC}[C`), index(UP), index(`${ESC}[D`)]).toEqual([2, 2, 0, 0]);
  });

  test("ctrl and a letter do what the list says", () => {
    const { ui: after, effects } = pressKeys(ui, CONTEXT, "\u0005");
    expect([after.picker, effects]).toEqual([undefined, [{ type: "submit", text: "/effort", remembered: "" }]]);
    expect(pressKeys(ui, CONTEXT, "\u0002").ui.picker).toEqual(ui.picker);
  });

  test("a letter without an input does what the marked choice says", () => {
    const also = { s: "/model haiku --default" };
    const own = choices.map((choice, at) => (at === 1 ? { ...choice, also } : choice));
    const list = {
      ...emptyUi,
      picker: openPicker({ title: "t", choices: own, shortcuts: [{ letter: "s", label: "" }] }),
    };
    expect(pressKeys(list, CONTEXT, "\u0013").effects).toMatchObject([{ text: also.s }]);
    expect(pressKeys(list, CONTEXT, DOWN, "\u0013").effects).toEqual([]);
  });
});

describe("a list of choices with ids", () => {
  const titles = ["cartography", "fix the cart", "write docs", "prices"];
  const choices = titles.map((label, at) => ({
    ...{
      label,
      detail: "",
      second: at === 3 ? "on the branch cart" : "main",
      id: `${at}7-cart`,
      input: `/resume ${at}`,
    },
    ...{ also: { p: `/sessions pin ${at}` } },
  }));
  const list = { title: "t", choices, shortcuts: [{ letter: "p", label: "pin" }] };
  const ui: Ui = { ...emptyUi, picker: openPicker(list) };
  const labels = (...keys: readonly string[]) => {
    const { picker } = pressKeys(ui, CONTEXT, ...keys).ui;
    return picker && shownChoices(picker).map(({ label }) => label);
  };

  test("is ranked while the person types, also after letters were deleted, and finds an id by its beginning only", () => {
    expect(labels("ca", "rt")).toEqual(["fix the cart", "cartography", "prices"]);
    expect(labels("cart", "o", "\u007f")).toEqual(["fix the cart", "cartography", "prices"]);
    expect(labels("cart", "ography")).toEqual(["cartography"]);
    expect(labels("27-")).toEqual(["write docs"]);
    expect(labels("7-c")).toEqual([]);
    expect(labels("x", "\u007f")).toEqual(titles);
  });

  test("opens with the words of its command as the filter", () => {
    expect(shownChoices(openPicker({ ...list, filter: "docs" })).map(({ label }) => label)).toEqual(["write docs"]);
  });

  test("a choice that is gone when the list opens again leaves its place to the next one", () => {
    const { ui: after, effects } = pressKeys(ui, CONTEXT, DOWN, "\u0010");
    expect(effects).toMatchObject([{ text: "/sessions pin 1" }]);
    const left = openPicker({ ...list, choices: choices.filter((_, at) => at !== 1) }, after.pickerPlaces);
    expect(left.choices[left.index]?.label).toBe("write docs");
    const moved = openPicker({ ...list, choices: choices.toReversed() }, after.pickerPlaces);
    expect(moved.choices[moved.index]?.label).toBe("fix the cart");
  });
});

describe("a line that is typed unseen", () => {
  const ui: Ui = { ...emptyUi, hidden: { title: "Key", text: "" }, editor: emptyUi.editor };

  test("is handed over once, and is nowhere else", () => {
    const { ui: after, effects } = pressKeys(ui, CONTEXT, "sk-", "x\u007f", `${ESC}[200~ab\n${ESC}[201~`, "\r");
    expect(effects).toEqual([{ type: "hidden", text: "sk-ab" }]);
    expect(JSON.stringify(after)).not.toContain("sk-ab");
    expect(after.hidden).toBeUndefined();
  });

  test.each([ESC, "\u0003"])("%j goes back and gives nothing", (key) => {
    expect(pressKeys(ui, CONTEXT, "sk", key)).toMatchObject({
      ui: { hidden: undefined },
      effects: [{ type: "hidden", text: undefined }],
    });
  });

  test("enter on nothing waits, ctrl+u clears", () => {
    expect(pressKeys(ui, CONTEXT, "\r").effects).toEqual([]);
    expect(pressKeys(ui, CONTEXT, "abc", "\u0015").ui.hidden?.text).toBe("");
    const optional: Ui = { ...emptyUi, hidden: { title: "Tone", text: "", isShown: true, canBeEmpty: true } };
    expect(pressKeys(optional, CONTEXT, "\r").effects).toEqual([{ type: "hidden", text: "" }]);
    expect(pressKeys(ui, CONTEXT, "\r").effects).toEqual([]);
  });
});

test("a text that is open is scrolled within its bounds, and closed", () => {
  const ui: Ui = { ...emptyUi, view: { title: "t", lines: ["x"], scroll: 0 } };
  const scroll = (...keys: readonly string[]) => pressKeys(ui, CONTEXT, ...keys).ui.view?.scroll;
  expect([scroll(DOWN), scroll("j", "k"), scroll(`${ESC}[6~`), scroll(" ", " ", " "), scroll(`${ESC}[F`, UP)]).toEqual([
    1, 0, 5, 12, 11,
  ]);
  for (const key of [ESC, "q", "\u0003"]) expect(pressKeys(ui, CONTEXT, key).ui.view).toBeUndefined();
  // Nothing that is typed there reaches the prompt.
  expect(pressKeys(ui, CONTEXT, "x").ui.editor.text).toBe("");
});

describe("the open transcript", () => {
  const OPEN = "\u000f";
  const at = (nowMs: number): UiContext => ({ ...CONTEXT, nowMs });
  const opened = (ui: Ui = emptyUi) => pressKeys(ui, at(1_000), OPEN).ui;

  test("opens with ctrl+o over a draft, and closes with esc, q, ctrl+c and ctrl+o", () => {
    const { ui } = typed("a", OPEN);
    expect({ text: ui.editor.text, isOpen: ui.viewer !== undefined }).toEqual({ text: "a", isOpen: true });
    for (const key of [ESC, "q", "\u0003", OPEN])
      expect(pressKeys(opened(), at(5_000), key)).toMatchObject({ ui: { viewer: undefined }, effects: [] });
  });

  test("gives its keys to nothing else, and types words only while it is searched", () => {
    expect(pressKeys(opened(), CONTEXT, "n", "c").effects).toEqual([
      { type: "viewer", does: "viewer.nextMatch" },
      { type: "viewer", does: "viewer.copy" },
    ]);
    const searched = pressKeys(opened(), CONTEXT, "/", "n", "é");
    expect(searched.effects).toEqual([
      { type: "viewer", does: "viewer.search" },
      { type: "viewer_text", text: "n" },
      { type: "viewer_text", text: "é" },
    ]);
    expect(searched.ui.editor.text).toBe("");
    expect(pressKeys(searched.ui, CONTEXT, ESC).ui.viewer?.isSearching).toBe(false);
  });

  test("takes keys that arrive together one by one, and what follows a / as words", () => {
    expect(pressKeys(opened(), CONTEXT, "jj/a b").effects).toEqual([
      { type: "viewer", does: "viewer.lineDown" },
      { type: "viewer", does: "viewer.lineDown" },
      { type: "viewer", does: "viewer.search" },
      { type: "viewer_text", text: "a b" },
    ]);
    expect(pressKeys(opened(), CONTEXT, "q/x").ui.viewer).toBeUndefined();
  });

  test("is only closed by a second ctrl+o at once; the last folded result has keys of its own", () => {
    expect(pressKeys(emptyUi, at(1_000), OPEN, OPEN)).toMatchObject({ ui: { viewer: undefined }, effects: [] });
    for (const keys of [["\u0018", OPEN], ["\u001bu"]])
      expect(pressKeys(typed("a").ui, at(1_000), ...keys)).toMatchObject({
        ui: { viewer: undefined, editor: { text: "a" } },
        effects: [{ type: "unfold" }],
      });
  });

  test("keeps its keys from a question that comes, also just after it was closed", () => {
    const asked = syncQuestion(opened(), [question("q")], 1_000);
    const refused = pressKeys(asked, at(5_000), ESC, "\r", ESC);
    expect({ effects: refused.effects, isAsked: refused.ui.asking !== undefined }).toEqual({
      effects: [],
      isAsked: true,
    });
  });
});

describe("the suggestions for a field", () => {
  const suggestions = { text: "A", values: ["A-1", "A-2"] };
  const field = { title: "id", text: "A", isShown: true, canSuggest: true, suggestions };
  const pressed = (...keys: readonly string[]) => pressKeys({ ...emptyUi, hidden: field }, CONTEXT, ...keys);
  const done = (text: string): Effect[] => [{ type: "hidden", text }];

  test("are taken into the line by Tab, and by Enter only if one is marked", () => {
    expect(pressed("\t").ui.hidden?.text).toBe("A-1");
    expect(pressed(DOWN, DOWN, "\t").ui.hidden?.text).toBe("A-2");
    expect(pressed(UP, "\r").effects).toEqual(done("A-2"));
    expect(pressed("\r").effects).toEqual(done("A"));
    expect(pressed(DOWN, "x", "\r").effects).toEqual(done("Ax"));
  });

  test("for an older text are filtered until newer ones come", () => {
    expect(shownSuggestions({ ...field, text: "a-2" })).toEqual(["A-2"]);
    expect(shownSuggestions({ ...field, text: "B" })).toEqual([]);
    expect(shownSuggestions({ ...field, text: "smith", suggestions: { text: "smith", values: ["J. Smith"] } })).toEqual(
      ["J. Smith"],
    );
    const { ui } = pressed(DOWN, DOWN);
    const marked = ui.hidden ?? field;
    expect(withSuggestions(marked, { text: "A", values: ["A-0", "A-2"] }).mark).toBe(1);
    expect(withSuggestions(marked, { text: "A", values: ["A-0"] }).mark).toBeUndefined();
  });
});

describe("the list of files", () => {
  const found = (...paths: readonly string[]) => paths.map((path) => ({ path, marks: [] }));
  const offered = (typed: string, ...paths: readonly string[]): UiContext => ({
    ...CONTEXT,
    mentions: [{ name: "@agent-Explore", summary: "Explores" }],
    files: { typed, found: found(...paths) },
  });
  const taken = (context: UiContext, ...keys: readonly string[]) => pressKeys(emptyUi, context, ...keys).ui.editor.text;

  test("takes a file with Tab or Enter, and leaves the path of a folder open", () => {
    const context = offered("ca", "src/cart.ts", "src/cart/");
    for (const key of ["\t", "\r"]) expect(taken(context, "see @ca", key)).toBe("see @src/cart.ts ");
    expect(taken(context, "@ca", DOWN, "\t")).toBe("@src/cart/");
  });

  test("puts a path with a space into quotes, also while it is being typed", () => {
    const context = offered("my n", "my notes.md", "my news/");
    expect(taken(context, '@"my n', "\t")).toBe('@"my notes.md" ');
    expect(taken(context, '@"my n', DOWN, "\t")).toBe('@"my news/');
    expect(mentionedPath(pressKeys(emptyUi, context, 'see @"my n').ui)).toBe("my n");
  });

  test("shows the older files that still match until the newer come, and none for an address", () => {
    const context = offered("c", "src/cart.ts", "src/card.ts", "docs.md");
    expect(taken(context, "@crd", "\t")).toBe("@src/card.ts ");
    expect(mentionedPath(pressKeys(emptyUi, context, "me@ca").ui)).toBeUndefined();
    expect(pressKeys(emptyUi, context, "me@ca", "\r").effects).toEqual([submit("me@ca")]);
  });

  test("has agents in the same list: after the files that begin so, before those that only hold the letters", () => {
    expect(taken(offered("", "a.ts"), "@", DOWN, "\t")).toBe("@agent-Explore ");
    expect(taken(offered("a", "src/a.ts"), "@a", "\t")).toBe("@src/a.ts ");
    expect(taken(offered("ag", "src/flag.ts"), "@ag", "\t")).toBe("@agent-Explore ");
    expect(taken(offered("agent-", "src/my-agent-x.ts"), "@agent-", "\t")).toBe("@agent-Explore ");
  });

  test("is closed by a complete file, so that Enter sends, and not by a complete folder", () => {
    expect(pressKeys(emptyUi, offered("a.ts", "a.ts"), "@a.ts", "\r").effects).toEqual([submit("@a.ts")]);
    expect(taken(offered("src/", "src/a.ts"), "@src/", "\t")).toBe("@src/a.ts ");
  });
});

describe("a command that is only found by letters of its name", () => {
  const commands = [
    { name: "model", aliases: ["llm"], summary: "Chooses a model", argumentHint: "[model]" },
    { name: "memory", summary: "Notes", argumentHint: "" },
  ];
  const pressed = (...keys: readonly string[]) => pressKeys(emptyUi, { ...CONTEXT, commands }, ...keys);

  test.each(["/mdl", "/odel", "/mm"])("is not run in place of %s, which Enter sends as typed", (text) => {
    const { ui, effects } = pressed(text, "\r");
    expect({ text: ui.editor.text, effects }).toEqual({ text: "", effects: [submit(text)] });
  });

  test("is completed by Tab, and by Enter after an arrow key", () => {
    expect(pressed("/mdl", "\t").ui.editor.text).toBe("/model ");
    const { ui, effects } = pressed("/mdl", DOWN, "\r");
    expect({ text: ui.editor.text, effects }).toEqual({ text: "/model ", effects: [] });
    expect(pressed("/odel", DOWN, "\r").effects).toEqual([submit("/model")]);
    expect(pressed("/mdl", DOWN, "x", "\r").effects).toEqual([submit("/mdlx")]);
  });

  test("runs at Enter if its name or another name begins so", () => {
    for (const text of ["/Mod", "/ll"]) expect(pressed(text, "\r").effects).toEqual([submit("/model")]);
  });
});

describe("the list of resources", () => {
  const context: UiContext = {
    ...CONTEXT,
    mentions: [
      { name: "@shop:shop://prices", summary: "What things cost" },
      { name: "@shop:shop://orders/{id}", summary: "order" },
      { name: "@docs:guide://shopping", summary: "" },
    ],
  };
  const pressed = (...keys: readonly string[]) => pressKeys(emptyUi, context, ...keys);

  test("completes the word at the cursor with Tab or Enter, and then Enter sends", () => {
    for (const key of ["\t", "\r"]) expect(pressed("see @sho", key).ui.editor.text).toBe("see @shop:shop://prices ");
    expect(pressed("see @sho", "\r").effects).toEqual([]);
    expect(pressed("@prices", "\t", "now", "\r").effects).toEqual([submit("@shop:shop://prices now")]);
    expect(pressed("@shop", DOWN, DOWN, "\t").ui.editor.text).toBe("@docs:guide://shopping ");
  });

  test("leaves the parts of a template to the person", () => {
    expect(pressed("@order", "\t").ui.editor.text).toBe("@shop:shop://orders/");
  });

  test("has the server's suggestions for a template, as the first rows for a resource that is being typed", () => {
    const word = "@shop:shop://orders/";
    const mentions = ["A-1", "A-2", "B/{part}"].map((id) => ({ name: `${word}${id}`, summary: "" }));
    const asked = { ...context, suggested: { word, mentions } };
    const taken = (...keys: readonly string[]) => pressKeys(emptyUi, asked, ...keys).ui.editor.text;
    expect(taken(word, "\t")).toBe(`${word}A-1 `);
    // Those for an older word, until newer ones come.
    expect(taken(`${word}A-2`, "\r")).toBe("");
    expect(taken(`${word}A-`, DOWN, "\t")).toBe(`${word}A-2 `);
    // The next variable of the template is left to the person.
    expect(taken(`${word}B`, "\t")).toBe(`${word}B/`);
    expect(taken("@shop", "\t")).toBe("@shop:shop://prices ");
    expect(taken("@shop:shop://order", DOWN, "\t")).toBe(word);
  });

  test("has suggestions only where a template's brace was reached", () => {
    const { mentions = [] } = context;
    const word = (...keys: readonly string[]) => templateWord(pressed(...keys).ui, mentions);
    expect(word("see @shop:shop://orders/")).toBe("@shop:shop://orders/");
    expect(word("see @shop:shop://orders/A")).toBe("@shop:shop://orders/A");
    for (const text of ["@shop:shop://order", "@shop:shop://orders/ ", "shop:shop://orders/"])
      expect(word(text)).toBeUndefined();
    expect(word("@shop:shop://orders/", ESC)).toBeUndefined();
  });

  test("does not appear for a complete word, for another word, and after Esc", () => {
    expect(pressed("@shop:shop://prices", "\r").effects).toEqual([submit("@shop:shop://prices")]);
    for (const text of ["me@shop", "@nobody"]) expect(pressed(text, "\r").effects).toEqual([submit(text)]);
    expect(pressed("@shop", ESC, "\r").effects).toEqual([submit("@shop")]);
  });
});

test.each([[[]], [[{ path: "late.ts", marks: [] }]]])(
  "a list of files says what it leaves out, also without a file: %j",
  (found) => {
    const files = { typed: "la", found, note: "more than 200,000 files here" };
    const ui = { ...emptyUi, editor: editorWith("@la") };
    const room = { theme: themeFor(0), columns: 40, rows: 24, maxRows: 20 } as Room;
    const lines = openLayers(ui, { ...CONTEXT, files }).flatMap((layer) =>
      layer.contexts.includes("prompt") ? [] : layer.lines(room).lines,
    );
    expect(lines.join("\n")).toContain("more than 200,000 files here");
    expect(pressKeys(ui, { ...CONTEXT, files }, "t").ui.editor.text).toBe("@lat");
  },
);
