import type { KeyAction } from "./key-bindings.ts";
import { leaveReason, leaveTerm, reject } from "./question.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** A second press within this time leaves. */
export const LEAVE_WINDOW_MS = 800;

type Act = (ui: Ui, context: UiContext, key: string) => Handled;

/** What the actions of a keymap do. `text.deleteForward` is left to the text that has the key. */
export const ACTIONS: Readonly<Record<Exclude<KeyAction, "text.deleteForward">, Act>> = {
  none: stay,
  "app.leave": leave,
  "turn.interrupt": (ui) => ({ ui: { ...ui, showsKeys: false }, effects: [{ type: "interrupt" }] }),
  "draft.clear": (ui) => stay(clearDraft(ui)),
  "menu.close": (ui) =>
    stay(ui.showsKeys ? { ...ui, showsKeys: false } : { ...ui, completion: { index: 0, isDismissed: true } }),
  "question.reject": (ui, context) => (ui.asking ? reject(ui, ui.asking, context) : stay(ui)),
  "term.back": (ui) => stay(leaveTerm(ui)),
  "reason.back": (ui) => stay(leaveReason(ui)),
  "list.close": (ui) => stay({ ...ui, picker: undefined }),
  "list.clearFilter": (ui) => stay(ui.picker ? { ...ui, picker: { ...ui.picker, filter: "", index: 0 } } : ui),
  "hidden.cancel": (ui) => ({ ui: { ...ui, hidden: undefined }, effects: [{ type: "hidden", text: undefined }] }),
};

function leave(ui: Ui, { nowMs }: UiContext, key: string): Handled {
  if (ui.armed?.by === key && nowMs <= ui.armed.until) return { ui, effects: [{ type: "leave" }] };
  return stay({ ...fromNow(ui), showsKeys: false, armed: { by: key, until: nowMs + LEAVE_WINDOW_MS } });
}

/** Undo brings the draft back. */
function clearDraft(ui: Ui): Ui {
  const { editor } = ui;
  return {
    ...fromNow(ui),
    showsKeys: false,
    editor: { ...editor, text: "", cursor: 0, undo: [...editor.undo, { text: editor.text, cursor: editor.cursor }] },
  };
}

/** The next ↑ shows the newest entry again. */
function fromNow(ui: Ui): Ui {
  return { ...ui, history: { ...ui.history, at: ui.history.entries.length, draft: "" } };
}
