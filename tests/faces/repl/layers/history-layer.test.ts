import { describe, expect, test } from "bun:test";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { historyLines } from "../../../../src/faces/repl/layers/history-layer.ts";
import { openLayers } from "../../../../src/faces/repl/layers/layer-stack.ts";
import { emptyUi, NO_PREVIEW, type Ui, type UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { pressKeys } from "../../../support/press-keys.ts";

const ESC = "\u001b";
const UP = `${ESC}[A`;
const DOWN = `${ESC}[B`;
const CTRL_R = "\u0012";
const CTRL_S = "\u0013";
const CONTEXT: UiContext = {
  isBusy: false,
  isStopping: false,
  nowMs: 10_000,
  columns: 40,
  commands: [],
  mode: "default",
  modes: ["default"],
  preview: NO_PREVIEW,
  canEdit: true,
  questionCount: 0,
  keymap: DEFAULT_KEYMAP,
};

const entries = ["fix the login test", "Explain the parser", "fix the parser", "run it", "fix the parser"];
const withHistory: Ui = { ...emptyUi, history: { entries, at: entries.length, draft: "" } };
const press = (...keys: readonly string[]) => pressKeys(withHistory, CONTEXT, ...keys);

function matches({ search, history }: Ui): string[] {
  if (!search) return [];
  const layer = openLayers({ ...withHistory, search, history }, CONTEXT)[0];
  const room = { theme: themeFor(0, false), columns: 60, rows: 24 };
  return (
    layer
      ?.lines({ ...room, maxRows: 20 } as never)
      .lines.slice(3, -1)
      .map((line) => line.trim()) ?? []
  );
}

describe("the search of the history", () => {
  test("words in any order find entries, each once, the newest first", () => {
    expect(matches(press(CTRL_R, "parser").ui)).toEqual(["❯ fix the parser", "Explain the parser"]);
    expect(matches(press(CTRL_R, "test fix").ui)).toEqual(["❯ fix the login test"]);
    expect(matches(press(CTRL_R, "PARSER expl").ui)).toEqual(["❯ Explain the parser"]);
  });

  test("enter and tab take the marked entry, and undo brings the draft back", () => {
    for (const take of ["\r", "\t"]) {
      const { ui, effects } = press("a draft", CTRL_R, "parser", DOWN, take);
      expect([ui.editor.text, ui.search, effects]).toEqual(["Explain the parser", undefined, []]);
      expect(pressKeys(ui, CONTEXT, "\u001f").ui.editor.text).toBe("a draft");
    }
  });

  test("a second ctrl+r and ↓ mark the next older match, which stands below, and ↑ the next newer one", () => {
    const marked = (...keys: readonly string[]) => press(CTRL_R, "fix", ...keys).ui.search?.index;
    expect([marked(CTRL_R), marked(CTRL_R, CTRL_R, CTRL_R), marked(CTRL_R, UP), marked(UP)]).toEqual([1, 1, 0, 0]);
    expect([marked(DOWN), marked(DOWN, UP)]).toEqual([1, 0]);
  });

  test("esc and ctrl+c leave the draft as it was", () => {
    for (const key of [ESC, "\u0003"]) {
      const { ui, effects } = press("a draft", CTRL_R, "parser", key);
      expect([ui.editor.text, ui.editor.cursor, ui.search, effects]).toEqual(["a draft", 7, undefined, []]);
    }
  });

  test("enter without a match keeps the draft", () => {
    expect(press("a draft", CTRL_R, "nothing like it", "\r").ui.editor.text).toBe("a draft");
  });

  test("the history of other projects is read when it is first wanted, and follows this project's", () => {
    const asked = press(CTRL_R, "parser", CTRL_S);
    expect(asked.effects).toEqual([{ type: "read_history" }]);
    const { search } = asked.ui;
    const read: Ui = { ...asked.ui, search: search && { ...search, others: ["a parser elsewhere", "fix the parser"] } };
    expect(matches(read)).toEqual(["❯ fix the parser", "Explain the parser", "a parser elsewhere"]);
    const back = pressKeys(read, CONTEXT, CTRL_S);
    expect([matches(back.ui).length, back.effects]).toEqual([2, []]);
    expect(pressKeys(back.ui, CONTEXT, CTRL_S).effects).toEqual([]);
  });

  test("entries of several lines and controls take one row each, within the window", () => {
    const found = ["one\ntwo", `a${ESC}[2Jb`, "漢".repeat(60)];
    const room = { theme: themeFor(0, false), columns: 40, rows: 24 };
    const search = { words: "", index: 0, isEverywhere: false, others: undefined };
    const { lines } = historyLines(search, found, room);
    expect(lines).toHaveLength(3 + found.length + 1);
    expect(lines.join("")).not.toContain(ESC);
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(40);
  });
});
