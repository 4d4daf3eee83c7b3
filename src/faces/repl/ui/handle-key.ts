import type { KeyEvent } from "../input/decode-keys.ts";
import { hiddenKey } from "./hidden-keys.ts";
import { pickerKey } from "./picker-keys.ts";
import { promptKey } from "./prompt-keys.ts";
import { guardedKey, questionKey } from "./question.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** A second press within this time leaves. */
export const LEAVE_WINDOW_MS = 800;

/** What a key does. Pure: what it asks of the world comes back as effects. */
export function handleKey(ui: Ui, event: KeyEvent, context: UiContext): Handled {
  if (isCtrl(event, "c") && ui.hidden && !ui.asking) {
    return { ui: { ...ui, hidden: undefined }, effects: [{ type: "hidden", text: undefined }] };
  }
  if (isCtrl(event, "c")) return ctrlC(ui, context);
  if (isCtrl(event, "z")) return { ui, effects: [{ type: "suspend" }] };
  const calm: Ui = ui.armed && !isCtrl(event, "d") ? { ...ui, armed: undefined } : ui;
  if (calm.asking) {
    const isGuarded = context.nowMs < calm.asking.guardedUntil;
    return (isGuarded ? guardedKey : questionKey)(calm, calm.asking, event, context);
  }
  if (calm.hidden) return hiddenKey(calm, calm.hidden, event);
  if (calm.picker) return pickerKey(calm, calm.picker, event);
  if (isCtrl(event, "d") && calm.editor.text === "") return ctrlD(calm, context);
  return promptKey({ ...calm, armed: undefined }, event, context);
}

function ctrlC(ui: Ui, { isBusy, nowMs }: UiContext): Handled {
  if (ui.armed?.by === "ctrl+c" && nowMs <= ui.armed.until) return { ui, effects: [{ type: "leave" }] };
  const armed: Ui = {
    ...ui,
    armed: { by: "ctrl+c", until: nowMs + LEAVE_WINDOW_MS },
    showsKeys: false,
    picker: undefined,
  };
  if (armed.editor.text !== "" && !armed.asking) {
    // Undo brings it back.
    return stay({
      ...armed,
      editor: { ...armed.editor, text: "", cursor: 0, undo: [...armed.editor.undo, armed.editor] },
    });
  }
  return isBusy ? { ui: armed, effects: [{ type: "interrupt" }] } : stay(armed);
}

function ctrlD(ui: Ui, { nowMs }: UiContext): Handled {
  if (ui.armed?.by === "ctrl+d" && nowMs <= ui.armed.until) return { ui, effects: [{ type: "leave" }] };
  return stay({ ...ui, armed: { by: "ctrl+d", until: nowMs + LEAVE_WINDOW_MS } });
}

function isCtrl(event: KeyEvent, char: string): boolean {
  return event.type === "key" && event.name === "char" && event.ctrl && event.char === char;
}
