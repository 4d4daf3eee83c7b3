import { expect, test } from "bun:test";
import { type Editor, editorWith, emptyEditor } from "../../../../src/faces/repl/editor/editor-state.ts";
import { emptySearch } from "../../../../src/faces/repl/editor/history-search.ts";
import { pressVim } from "../../../../src/faces/repl/editor/vim/press-vim.ts";
import { initialVim } from "../../../../src/faces/repl/editor/vim/vim-state.ts";
import type { KeyEvent } from "../../../../src/faces/repl/input/decode-keys.ts";
import type { KeyAction } from "../../../../src/faces/repl/keymap/key-actions.ts";
import { keyNames } from "../../../../src/faces/repl/keymap/key-name.ts";
import {
  boundAction,
  DEFAULT_KEYMAP,
  type KeyContext,
  type Keymap,
  STOP_KEYS,
} from "../../../../src/faces/repl/keymap/keymap.ts";
import { askedLayer } from "../../../../src/faces/repl/layers/asked-layer.ts";
import { withLine, writtenLine } from "../../../../src/faces/repl/layers/choice.ts";
import { handleKey, type StackContext } from "../../../../src/faces/repl/layers/layer-stack.ts";
import { isChoosing } from "../../../../src/faces/repl/layers/open-question.ts";
import { openPicker } from "../../../../src/faces/repl/layers/picker.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { emptyUi, NO_PREVIEW, type Ui } from "../../../../src/faces/repl/layers/ui-state.ts";
import { choiceOf, DATABASE } from "../../../support/choice.ts";
import { dialogOf, questionOf } from "../../../support/question.ts";
import { agentTask } from "../../../support/shown-tasks.ts";

type Draft = "empty" | "typed";
/** The contexts of which the guide has a row. */
type KeyState = keyof typeof WANTED;
type StopKey = (typeof STOP_KEYS)[number];

const NOW = 10_000;
const WORDS = "some words";
const EVENTS: Readonly<Record<StopKey, KeyEvent>> = {
  esc: { type: "key", name: "escape", char: "", ctrl: false, alt: false, shift: false },
  "ctrl+c": { type: "key", name: "char", char: "c", ctrl: true, alt: false, shift: false },
  "ctrl+d": { type: "key", name: "char", char: "d", ctrl: true, alt: false, shift: false },
};
const QUESTION = questionOf({
  id: "q1",
  agentId: "main",
  parentAgentId: null,
  kind: "permission",
  toolUseId: "t1",
  toolName: "Bash",
  title: "Run this command?",
  preview: { kind: "command", command: "ls", description: "", unclear: [] },
  reason: "no rule covers it",
  hazards: [],
  suggestions: [],
  sessionRules: [],
});

/** The cursor stands before the last letter, so that Ctrl+D has something to delete. */
const textOf = (draft: Draft): Editor =>
  draft === "empty" ? emptyEditor : { ...editorWith(WORDS), cursor: WORDS.length - 1 };

/** The open layers in each state. */
function uiIn(state: KeyState, draft: Draft): Ui {
  const drafted: Ui = { ...emptyUi, editor: textOf(draft) };
  const asked = (since: number) => syncQuestion(drafted, [QUESTION], NOW - since);
  switch (state) {
    case "idle":
    case "operation":
    case "turn":
    case "stopping":
      return drafted;
    case "menu":
      return draft === "empty" ? { ...drafted, showsKeys: true } : { ...drafted, editor: editorWith("/co") };
    case "held": {
      const ui = asked(0);
      return ui.asking ? { ...ui, asking: { ...ui.asking, guardedUntil: NOW + 1 } } : ui;
    }
    case "question":
      return asked(5_000);
    case "term": {
      const ui = asked(5_000);
      return ui.asking ? { ...ui, asking: { ...ui.asking, isChoosingTerm: true } } : ui;
    }
    case "reason": {
      const ui = asked(5_000);
      return ui.asking ? { ...ui, asking: { ...ui.asking, why: textOf(draft) } } : ui;
    }
    case "choice":
    case "words": {
      const ui = syncQuestion(drafted, [choiceOf(DATABASE)], NOW - 5_000);
      if (state === "choice" || !isChoosing(ui.asking)) return ui;
      return { ...ui, asking: withLine({ ...ui.asking, writing: "words" }, textOf(draft)) };
    }
    case "list": {
      const picker = openPicker({ title: "t", choices: [{ label: WORDS, detail: "", input: "/x" }] });
      return { ...emptyUi, picker: { ...picker, filter: draft === "empty" ? "" : WORDS } };
    }
    case "strip":
      return { ...drafted, strip: "a1" };
    case "view":
      return { ...emptyUi, view: { title: "t", lines: [WORDS], scroll: 0 } };
    case "viewer":
    case "viewerSearch":
      return { ...drafted, viewer: { isSearching: state === "viewerSearch", showsKeys: false } };
    case "search":
      return { ...drafted, search: { ...emptySearch, words: draft === "empty" ? "" : WORDS } };
    case "vimInsert":
      return { ...drafted, vim: initialVim };
    case "vimPending":
      return { ...drafted, vim: { ...initialVim, mode: "visual", anchor: drafted.editor.cursor } };
    case "hidden":
      return { ...emptyUi, hidden: { title: "t", text: draft === "empty" ? "" : WORDS } };
  }
}

const contextIn = (state: KeyState): StackContext => ({
  askedLayer,
  isBusy: ["turn", "stopping", "held", "question", "term", "reason", "choice", "words"].includes(state),
  isOperating: state === "operation",
  isStopping: state === "stopping",
  nowMs: NOW,
  columns: 40,
  commands: [{ name: "cost", summary: "", argumentHint: "" }],
  mode: "default",
  modes: ["default"],
  preview: NO_PREVIEW,
  canEdit: false,
  questionCount: 1,
  keymap: DEFAULT_KEYMAP,
  pressVim,
  ...(state === "strip" && {
    tasks: [{ info: agentTask("a1", "Explore", "look"), startedAt: 0, seenAt: 0, endedAt: undefined }],
  }),
});

/** The visible effect of each action. */
const SEEN: Readonly<Partial<Record<string, (before: Ui, after: ReturnType<typeof handleKey>) => void>>> = {
  none: (before, after) => expect(after).toEqual({ ui: before, effects: [] }),
  "app.leave": (_, { ui, effects }) => {
    expect(effects).toEqual([]);
    expect(ui.armed?.until).toBe(NOW + 2_000);
  },
  "turn.interrupt": (before, { ui, effects }) => {
    expect(effects).toEqual([{ type: "interrupt" }]);
    expect([ui.editor, ui.asking, ui.armed]).toEqual([before.editor, before.asking, undefined]);
  },
  "prompt.rewindTwice": (_, { ui, effects }) => expect([effects, ui.armed?.does]).toEqual([[], "rewind"]),
  "draft.clearTwice": (before, { ui, effects }) =>
    expect([effects, ui.editor, ui.armed?.does]).toEqual([[], before.editor, "clear"]),
  "draft.clear": (before, { ui, effects }) => {
    expect([effects, ui.editor.text, ui.armed]).toEqual([[], "", undefined]);
    expect(ui.editor.undo.at(-1)?.text).toBe(before.editor.text);
  },
  "text.deleteForward": (before, { ui, effects }) => {
    expect(effects).toEqual([]);
    const line = (asking: Ui["asking"]) => (isChoosing(asking) ? writtenLine(asking) : asking?.why);
    const text = (one: Ui) => line(one.asking)?.text ?? one.editor.text;
    expect([text(before), text(ui)]).toEqual([WORDS, WORDS.slice(0, -1)]);
  },
  "menu.close": (before, { ui, effects }) => {
    expect([effects, ui.showsKeys, ui.editor.text]).toEqual([[], false, before.editor.text]);
  },
  "question.reject": (_, { effects }) =>
    expect(effects).toEqual([{ type: "answer", id: "q1", reply: { decision: "reject" } }]),
  "term.back": (_, { ui, effects }) => {
    expect([effects, dialogOf(ui)?.isChoosingTerm, dialogOf(ui)?.question.id]).toEqual([[], false, "q1"]);
  },
  "reason.back": (_, { ui, effects }) => {
    expect([effects, dialogOf(ui)?.why, dialogOf(ui)?.question.id]).toEqual([[], undefined, "q1"]);
  },
  "choice.close": (_, { effects }) =>
    expect(effects).toEqual([{ type: "answer", id: "c", reply: { decision: "reject", endsTurn: true } }]),
  "words.back": (before, { ui, effects }) => {
    const [was, is] = [before.asking, ui.asking].map((asking) => (isChoosing(asking) ? asking : undefined));
    expect([effects, is?.writing, is?.drafts]).toEqual([[], undefined, was?.drafts]);
  },
  "list.close": (_, { ui, effects }) => expect([effects, ui.picker]).toEqual([[], undefined]),
  "list.clearFilter": (_, { ui, effects }) => expect([effects, ui.picker?.filter]).toEqual([[], ""]),
  "strip.leave": (before, { ui, effects }) =>
    expect([effects, ui.strip, ui.editor.text]).toEqual([[], undefined, before.editor.text]),
  "view.close": (_, { ui, effects }) => expect([effects, ui.view]).toEqual([[], undefined]),
  "viewer.close": (_, { ui, effects }) => expect([effects, ui.viewer]).toEqual([[], undefined]),
  "viewerSearch.cancel": (_, { ui, effects }) =>
    expect([effects, ui.viewer?.isSearching]).toEqual([[{ type: "viewer", does: "viewerSearch.cancel" }], false]),
  "vim.normal": (before, { ui, effects }) =>
    expect([effects, ui.vim?.mode, ui.editor.text]).toEqual([[], "normal", before.editor.text]),
  "search.close": (before, { ui, effects }) =>
    expect([effects, ui.search, ui.editor]).toEqual([[], undefined, before.editor]),
  "hidden.cancel": (_, { ui, effects }) =>
    expect([effects, ui.hidden]).toEqual([[{ type: "hidden", text: undefined }], undefined]),
};

/** The table of the guide, once more by hand: state, then Esc, Ctrl+C and Ctrl+D with nothing typed, and with something. */
const WANTED = {
  idle: {
    empty: ["prompt.rewindTwice", "app.leave", "app.leave"],
    typed: ["draft.clearTwice", "draft.clear", "text.deleteForward"],
  },
  turn: {
    empty: ["turn.interrupt", "turn.interrupt", "app.leave"],
    typed: ["turn.interrupt", "turn.interrupt", "text.deleteForward"],
  },
  operation: {
    empty: ["turn.interrupt", "turn.interrupt", "app.leave"],
    typed: ["turn.interrupt", "turn.interrupt", "text.deleteForward"],
  },
  stopping: { empty: ["none", "app.leave", "app.leave"], typed: ["none", "app.leave", "text.deleteForward"] },
  menu: { empty: ["menu.close", "app.leave", "app.leave"], typed: ["menu.close", "draft.clear", "none"] },
  held: { empty: ["none", "turn.interrupt", "none"], typed: ["none", "turn.interrupt", "text.deleteForward"] },
  question: {
    empty: ["question.reject", "turn.interrupt", "none"],
    typed: ["question.reject", "turn.interrupt", "none"],
  },
  term: { empty: ["term.back", "turn.interrupt", "none"], typed: ["term.back", "turn.interrupt", "none"] },
  reason: {
    empty: ["reason.back", "turn.interrupt", "none"],
    typed: ["reason.back", "turn.interrupt", "text.deleteForward"],
  },
  choice: {
    empty: ["choice.close", "turn.interrupt", "none"],
    typed: ["choice.close", "turn.interrupt", "none"],
  },
  words: {
    empty: ["words.back", "turn.interrupt", "none"],
    typed: ["words.back", "turn.interrupt", "text.deleteForward"],
  },
  list: { empty: ["list.close", "list.close", "none"], typed: ["list.clearFilter", "list.close", "none"] },
  strip: {
    empty: ["strip.leave", "app.leave", "app.leave"],
    typed: ["strip.leave", "draft.clear", "text.deleteForward"],
  },
  view: { empty: ["view.close", "view.close", "none"], typed: ["view.close", "view.close", "none"] },
  search: { empty: ["search.close", "search.close", "none"], typed: ["search.close", "search.close", "none"] },
  vimInsert: {
    empty: ["vim.normal", "app.leave", "app.leave"],
    typed: ["vim.normal", "draft.clear", "text.deleteForward"],
  },
  vimPending: {
    empty: ["vim.normal", "app.leave", "app.leave"],
    typed: ["vim.normal", "draft.clear", "text.deleteForward"],
  },
  viewer: { empty: ["viewer.close", "viewer.close", "none"], typed: ["viewer.close", "viewer.close", "none"] },
  viewerSearch: {
    empty: ["viewerSearch.cancel", "viewerSearch.cancel", "none"],
    typed: ["viewerSearch.cancel", "viewerSearch.cancel", "none"],
  },
  hidden: { empty: ["hidden.cancel", "hidden.cancel", "none"], typed: ["hidden.cancel", "hidden.cancel", "none"] },
} as const satisfies {
  readonly [Context in KeyContext]?: Readonly<Record<Draft, readonly [KeyAction, KeyAction, KeyAction]>>;
};

const CELLS = Object.entries(WANTED).flatMap(([state, drafts]) =>
  Object.entries(drafts).flatMap(([draft, actions]) =>
    STOP_KEYS.map((key, at) => [state as KeyState, draft as Draft, key, actions[at] ?? "none"] as const),
  ),
);

const unseen = () => {
  throw new Error("Nothing checks this action.");
};

test.each(CELLS)("%s, %s: %s is %s", (state, draft, key, action) => {
  const before = uiIn(state, draft);
  const after = handleKey(before, EVENTS[key], contextIn(state));
  // At the end of a line there is nothing to delete.
  if (state === "menu" && draft === "typed" && key === "ctrl+d") expect(after.ui.editor).toEqual(before.editor);
  // The question says that it has dropped the key, and nothing else changes.
  else if (state === "held" && action === "none") {
    expect(after.ui.armed?.does ?? "nothing").toBe("nothing");
    expect(after).toEqual({ ui: { ...before, armed: after.ui.armed }, effects: [] });
  } else (SEEN[action] ?? unseen)(before, after);
});

test("every context that stops something has a row, and no key has two bindings in a context", () => {
  const stops = DEFAULT_KEYMAP.filter(({ key }) => STOP_KEYS.some((stop) => stop === key));
  // Of a text's own keys only ctrl+d is one; the question about trust is tested with its layer.
  const contexts = new Set(stops.map(({ context }) => context)).difference(new Set(["text", "guarded", "trust"]));
  expect([...contexts].sort()).toEqual(Object.keys(WANTED).sort() as KeyContext[]);
  const places = DEFAULT_KEYMAP.flatMap(({ key, context, draft }) =>
    (draft === undefined ? ["empty", "typed"] : [draft]).map((one) => `${context} ${one} ${key}`),
  );
  expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
});

test("a keymap in front of the bindings takes a key over", () => {
  const keymap: Keymap = [{ key: "esc", context: "turn", draft: "typed", action: "draft.clear" }, ...DEFAULT_KEYMAP];
  expect(boundAction(keymap, "esc", ["turn"], "typed")).toBe("draft.clear");
  expect(boundAction(keymap, "esc", ["turn"], "empty")).toBe("turn.interrupt");
  const ui = { ...emptyUi, editor: editorWith(WORDS) };
  expect(handleKey(ui, EVENTS.esc, { ...contextIn("turn"), keymap })).toMatchObject({
    ui: { editor: { text: "" } },
    effects: [],
  });
});

test("a named key with a modifier that is bound nowhere is the key without it", () => {
  const up = { type: "key", name: "enter", char: "", ctrl: false, alt: false, shift: true } as const;
  const asked = syncQuestion(emptyUi, [QUESTION], NOW - 5_000);
  expect(handleKey(asked, up, contextIn("question")).effects).toHaveLength(1);
  // But a menu above the prompt leaves it to the prompt, where it is bound.
  const menu = handleKey({ ...emptyUi, editor: editorWith("/co") }, up, contextIn("menu"));
  expect([menu.effects, menu.ui.editor.text]).toEqual([[], "/co\n"]);
});

test("a key that most terminals send as another key is that key, unless it has a binding of its own", () => {
  expect(keyNames("ctrl+h")).toEqual(["ctrl+h", "backspace"]);
  for (const key of ["ctrl+/", "ctrl+shift+_", "ctrl+shift+-"]) expect(keyNames(key)).toEqual([key, "ctrl+_"]);
  expect(keyNames("ctrl+j")).toEqual(["ctrl+j"]);
});

test("Ctrl+_ undoes as xterm tells it, with Shift", () => {
  const typed = handleKey({ ...emptyUi, editor: editorWith("a") }, { type: "text", text: "b" }, contextIn("idle")).ui;
  const undo = { type: "key", name: "char", char: "_", ctrl: true, alt: false, shift: true } as const;
  expect([typed.editor.text, handleKey(typed, undo, contextIn("idle")).ui.editor.text]).toEqual(["ab", "a"]);
});

test("leaving takes the same key twice within its time, and any other key takes it back", () => {
  const once = handleKey(emptyUi, EVENTS["ctrl+c"], contextIn("idle")).ui;
  const leaves = (ui: Ui, key: StopKey, nowMs: number) =>
    handleKey(ui, EVENTS[key], { ...contextIn("idle"), nowMs }).effects.length > 0;
  expect([
    leaves(once, "ctrl+c", NOW + 2_000),
    leaves(once, "ctrl+c", NOW + 2_001),
    leaves(once, "ctrl+d", NOW),
  ]).toEqual([true, false, false]);
  const typed = handleKey(once, { type: "text", text: "x" }, contextIn("idle")).ui;
  expect(typed.armed).toBeUndefined();
});

test("clearing the draft goes back to the newest entry of the history", () => {
  const history = { entries: ["old", "new"], at: 0, draft: "" };
  const { ui } = handleKey({ ...emptyUi, history, editor: editorWith("old") }, EVENTS["ctrl+c"], contextIn("idle"));
  expect(ui.history.at).toBe(2);
});

test("esc pressed twice at an empty prompt opens the list of prompts; with vim keys it does nothing", () => {
  const state = contextIn("idle");
  const once = handleKey(uiIn("idle", "empty"), EVENTS.esc, state);
  const twice = handleKey(once.ui, EVENTS.esc, state);
  expect(twice.effects).toEqual([{ type: "submit", text: "/rewind", remembered: "" }]);
  expect(twice.ui.armed).toBeUndefined();
  const late = handleKey(once.ui, EVENTS.esc, { ...state, nowMs: state.nowMs + 60_000 });
  expect(late.effects).toEqual([]);
});
