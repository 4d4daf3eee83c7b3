import { describe, expect, test } from "bun:test";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { shownGhost } from "../../../../src/faces/repl/layers/draft-actions.ts";
import { emptyUi, NO_PREVIEW, type Ui, type UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { promptLines } from "../../../../src/faces/repl/view/prompt-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { pressKeys } from "../../../support/press-keys.ts";

const ESC = "\u001b";
const CTRL_S = "\u0013";
const CTRL_G = "\u0007";
const RIGHT = `${ESC}[C`;
const END = `${ESC}[F`;
const SHIFT = {
  left: `${ESC}[1;2D`,
  right: `${ESC}[1;2C`,
  up: `${ESC}[1;2A`,
  home: `${ESC}[1;2H`,
  down: `${ESC}[1;2B`,
};
const CTRL_SHIFT_LEFT = `${ESC}[1;6D`;
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
const typed = (...keys: readonly string[]) => pressKeys(emptyUi, CONTEXT, ...keys);
const withHistory = (...entries: readonly string[]): Ui => ({
  ...emptyUi,
  history: { entries, at: entries.length, draft: "" },
});
const shown = (ui: Ui, ghost?: string) =>
  promptLines(ui, { theme: themeFor(1), columns: 40, rows: 24 } as never, { ghost }).lines;

describe("the stash", () => {
  test("ctrl+s puts the draft aside, and in an empty prompt brings it back", () => {
    const aside = typed("a long\ntext", CTRL_S).ui;
    expect([aside.editor.text, aside.stash]).toEqual(["", "a long\ntext"]);
    expect(shown(aside)[0]).toContain("stashed");
    const back = pressKeys(aside, CONTEXT, CTRL_S).ui;
    expect([back.editor.text, back.editor.cursor, back.stash]).toEqual(["a long\ntext", 11, undefined]);
    expect(shown(back)[0]).not.toContain("stashed");
  });

  test("the draft comes back when another message was sent, with its pastes", () => {
    const paste = Array.from({ length: 20 }, (_, line) => `line ${line}`).join("\n");
    const aside = typed("see ", `${ESC}[200~${paste}${ESC}[201~`, CTRL_S, "first this", "\r");
    expect(aside.effects).toEqual([{ type: "submit", text: "first this", remembered: "first this" }]);
    expect([aside.ui.editor.text, aside.ui.stash]).toEqual(["see [pasted 20 lines]", undefined]);
    const sent = pressKeys(aside.ui, CONTEXT, "\r");
    expect(sent.effects).toMatchObject([{ type: "submit", text: `see ${paste}` }]);
  });

  test("two drafts change places, so none is lost", () => {
    const { ui } = typed("one", CTRL_S, "two", CTRL_S);
    expect([ui.editor.text, ui.stash]).toEqual(["one", "two"]);
  });

  test("ctrl+s without a draft and without a stash does nothing", () => {
    expect(typed(CTRL_S).ui).toEqual(emptyUi);
  });
});

describe("the ghost text", () => {
  const history = withHistory("fix the login", "fix the parser", "say\nmore");
  const ghost = (text: string) => shownGhost(pressKeys(history, CONTEXT, text).ui, CONTEXT);

  test("is the rest of the newest entry that begins with the draft", () => {
    expect([ghost("fix"), ghost("fix the l"), ghost("Fix"), ghost("fix the parser")]).toEqual([
      " the parser",
      "ogin",
      undefined,
      undefined,
    ]);
    expect(shownGhost(history, CONTEXT)).toBeUndefined();
  });

  test("→ and end take it at the end of the draft, and only there", () => {
    for (const key of [RIGHT, END]) {
      const { ui } = pressKeys(history, CONTEXT, "fix", key);
      expect([ui.editor.text, ui.editor.cursor]).toEqual(["fix the parser", 14]);
      expect(pressKeys(ui, CONTEXT, "\u001f").ui.editor.text).toBe("fix");
      expect(pressKeys(history, CONTEXT, "fix", `${ESC}[D`, key).ui.editor.text).toBe("fix");
      const off = { ...CONTEXT, hasGhost: false };
      expect(pressKeys(history, off, "fix", key).ui.editor.text).toBe("fix");
    }
  });

  test("is dim behind the cursor, one line, and never wider than the window", () => {
    const { ui } = pressKeys(history, CONTEXT, "sa");
    expect(shown(ui, "y\nmore")[1]).toEndWith(`sa${ESC}[2my…${ESC}[22m`);
    expect(Bun.stringWidth(shown(ui, "漢".repeat(50))[1] ?? "")).toBeLessThanOrEqual(40);
  });
});

describe("the selection", () => {
  test("typing replaces what shift and the arrows select", () => {
    expect(typed("one two", SHIFT.left, SHIFT.left, SHIFT.left, "2").ui.editor.text).toBe("one 2");
    expect(typed("one two", CTRL_SHIFT_LEFT, "2").ui.editor.text).toBe("one 2");
    expect(typed("one two", SHIFT.home, "x").ui.editor.text).toBe("x");
    expect(typed("one two", SHIFT.up, `${ESC}[200~pasted${ESC}[201~`).ui.editor.text).toBe("pasted");
  });

  test.each([["\u007f"], [`${ESC}[3~`], ["\u0017"]])("%j deletes it, and undo brings it back", (key) => {
    const { ui } = typed("one two", SHIFT.left, SHIFT.left, key);
    expect([ui.editor.text, ui.editor.cursor]).toEqual(["one t", 5]);
    expect(pressKeys(ui, CONTEXT, "\u001f").ui.editor.text).toBe("one two");
  });

  test("grows and shrinks by whole graphemes, and an arrow ends it at its edge", () => {
    const family = "👨‍👩‍👧";
    const { ui } = typed(`a${family}b`, SHIFT.left, SHIFT.left, SHIFT.left, SHIFT.right);
    expect([ui.editor.anchor, ui.editor.cursor]).toEqual([family.length + 2, 1]);
    expect(pressKeys(ui, CONTEXT, `${ESC}[D`).ui.editor).toMatchObject({ cursor: 1, anchor: undefined });
    expect(pressKeys(ui, CONTEXT, RIGHT).ui.editor).toMatchObject({ cursor: family.length + 2, anchor: undefined });
  });

  test("goes over several lines, and is drawn on each", () => {
    const { ui } = typed("ab\u000acd\u000aef", SHIFT.up, SHIFT.up);
    expect(shown(ui).slice(1)).toEqual([
      expect.stringContaining(`ab`),
      expect.stringContaining(`${ESC}[7mcd${ESC}[27m`),
      expect.stringContaining(`${ESC}[7mef${ESC}[27m`),
    ]);
  });

  test("ctrl+c still clears the draft", () => {
    expect(typed("one two", SHIFT.left, "\u0003").ui.editor).toMatchObject({ text: "", anchor: undefined });
  });
});

describe("the external editor", () => {
  test("ctrl+g gets the draft with its pastes unfolded and its image marks as text", () => {
    const paste = Array.from({ length: 20 }, (_, line) => `line ${line}`).join("\n");
    const { effects } = typed("see [Image 1] ", `${ESC}[200~${paste}${ESC}[201~`, CTRL_G);
    expect(effects).toEqual([{ type: "edit_draft", text: `see [Image 1] ${paste}` }]);
  });
});
