import { describe, expect, test } from "bun:test";
import { pressVim } from "../../../../src/faces/repl/editor/vim/press-vim.ts";
import { initialVim } from "../../../../src/faces/repl/editor/vim/vim-state.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { emptyUi, NO_PREVIEW, type Ui, type UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { promptLines } from "../../../../src/faces/repl/view/prompt-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { pressKeys } from "../../../support/press-keys.ts";

const ESC = "\u001b";
const CTRL_R = "\u0012";
const CONTEXT: UiContext = {
  isBusy: false,
  isStopping: false,
  nowMs: 10_000,
  columns: 40,
  commands: [{ name: "model", summary: "", argumentHint: "" }],
  mode: "default",
  modes: ["default"],
  preview: NO_PREVIEW,
  canEdit: true,
  questionCount: 0,
  keymap: DEFAULT_KEYMAP,
  pressVim,
};
const BUSY = { ...CONTEXT, isBusy: true };
const entries = ["older one", "newer one"];
const START: Ui = { ...emptyUi, vim: initialVim, history: { entries, at: entries.length, draft: "" } };
const typed = (...keys: readonly string[]) => pressKeys(START, CONTEXT, ...keys);
const at = ({ editor, vim }: Ui) => [editor.text, editor.cursor, vim?.mode];

describe("the prompt with vim keys", () => {
  test("begins in insert mode, and sends in both modes", () => {
    expect(at(typed("one two").ui)).toEqual(["one two", 7, "insert"]);
    expect(typed("one\r").effects).toMatchObject([{ type: "submit", text: "one" }]);
    const sent = typed("one", ESC, "\r");
    expect(sent.effects).toMatchObject([{ type: "submit", text: "one" }]);
    expect(at(sent.ui)).toEqual(["", 0, "insert"]);
  });

  test("characters that come together are keys until insert mode, and then text", () => {
    expect(at(typed("one two three", ESC, "bdwAdw").ui)).toEqual(["one two dw", 10, "insert"]);
    expect(at(typed("one two", ESC, "0wix dw").ui)).toEqual(["one x dwtwo", 8, "insert"]);
  });

  test("esc leaves insert mode first, then an incomplete command, and only then stops a turn", () => {
    const press = (...keys: readonly string[]) => pressKeys(START, BUSY, ...keys);
    expect(press("one", ESC).effects).toEqual([]);
    expect(press("one", ESC, "d", ESC).effects).toEqual([]);
    expect(press("one", ESC, "v", ESC).effects).toEqual([]);
    expect(press("one", ESC, ESC).effects).toEqual([{ type: "interrupt" }]);
    expect(press("one", ESC, "d", ESC, ESC).effects).toEqual([{ type: "interrupt" }]);
  });

  test("a character right behind esc is that key, not alt", () => {
    expect(at(typed("one two", `${ESC}b`).ui)).toEqual(["one two", 4, "normal"]);
    expect(at(typed("one two", `${ESC}I`).ui)).toEqual(["one two", 0, "insert"]);
    expect(pressKeys(emptyUi, CONTEXT, "one two", `${ESC}b`).ui.editor.cursor).toBe(4);
  });

  test("k and j go through the history at the first and the last line, and the cursor stays on a character", () => {
    expect(at(typed(ESC, "k").ui)).toEqual(["newer one", 8, "normal"]);
    expect(at(typed(ESC, "kk").ui)).toEqual(["older one", 8, "normal"]);
    expect(at(typed("draft", ESC, "kkjj").ui)).toEqual(["draft", 4, "normal"]);
    expect(at(typed("a\u000ab", ESC, "k").ui)).toEqual(["a\nb", 0, "normal"]);
  });

  test("the named keys move as in vim, and delete and paste work", () => {
    const left = `${ESC}[D`;
    const right = `${ESC}[C`;
    expect(at(typed("one", ESC, left, left, left).ui)).toEqual(["one", 0, "normal"]);
    expect(at(typed("one", ESC, right).ui)).toEqual(["one", 2, "normal"]);
    expect(at(typed("one", ESC, "v", left, "d").ui)).toEqual(["o", 0, "normal"]);
    expect(at(typed("one", ESC, `${ESC}[3~`).ui)).toEqual(["on", 1, "normal"]);
    expect(at(typed("one", ESC, "0", `${ESC}[200~in ${ESC}[201~`).ui)).toEqual(["in one", 3, "normal"]);
  });

  test("ctrl+r redoes in normal mode and searches the history in insert mode", () => {
    expect(at(typed("one", ESC, "xu", CTRL_R).ui)).toEqual(["on", 1, "normal"]);
    expect(typed("one", CTRL_R, "x").ui.search?.words).toBe("x");
  });

  test("no list of commands opens in normal mode, so that its keys are free", () => {
    const { ui } = typed("/mo", ESC);
    expect([at(ui), ui.completion.isDismissed]).toEqual([["/mo", 3, "insert"], true]);
    expect(at(pressKeys(ui, CONTEXT, ESC, "x").ui)).toEqual(["/m", 1, "normal"]);
  });

  test("the selection is drawn, in V-line as whole rows", () => {
    const room = { theme: themeFor(1), columns: 40, rows: 24 } as never;
    const rows = (...keys: readonly string[]) => promptLines(typed("ab\u000acd", ESC, ...keys).ui, room).lines.slice(1);
    expect(rows("v")[1]).toContain(`c${ESC}[7md${ESC}[27m`);
    expect(rows("Vk").map((line) => line.includes(`${ESC}[7m`))).toEqual([true, true]);
    expect(rows("Vk", ESC).some((line) => line.includes(`${ESC}[7m`))).toBe(false);
  });

  test("while the code of the keys is not loaded, the prompt types as without them", () => {
    const { pressVim: _, ...unloaded } = CONTEXT;
    expect(at(pressKeys(START, unloaded, "one", ESC, "x").ui)).toEqual(["onex", 4, "insert"]);
  });
});
