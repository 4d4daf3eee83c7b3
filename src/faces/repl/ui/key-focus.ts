import type { KeyEvent } from "../input/decode-keys.ts";
import { completions } from "./completion.ts";
import type { KeyFocus, KeyState } from "./key-bindings.ts";
import { isHeld } from "./question.ts";
import type { Ui, UiContext } from "./ui-state.ts";

/** A key as bindings name it: `esc`, `ctrl+c`, `alt+b`, `shift+tab`. @returns undefined for text. */
export function keyName(event: KeyEvent): string | undefined {
  if (event.type !== "key") return undefined;
  const { name, char, ctrl, alt, shift } = event;
  const base = name === "char" ? char : name === "escape" ? "esc" : name;
  return [ctrl && "ctrl", alt && "alt", shift && "shift", base].filter(Boolean).join("+");
}

/** What is open, the topmost first. */
export function keyFocus(ui: Ui, context: UiContext): KeyFocus {
  const { asking, hidden, picker, editor } = ui;
  const on = (state: KeyState, text: string) => ({ state, draft: text === "" ? "empty" : "typed" }) as const;
  if (asking) {
    if (isHeld(ui, context.nowMs)) return [on("held", editor.text)];
    if (asking.why) return [on("reason", asking.why.text)];
    return [on(asking.isChoosingTerm ? "term" : "question", editor.text)];
  }
  if (hidden) return [on("hidden", hidden.text)];
  if (picker) return [on("list", picker.filter)];
  const hasMenu = ui.showsKeys || completions(ui, context.commands).length > 0;
  const below = on(context.isStopping ? "stopping" : context.isBusy ? "turn" : "idle", editor.text);
  return hasMenu ? [on("menu", editor.text), below] : [below];
}
