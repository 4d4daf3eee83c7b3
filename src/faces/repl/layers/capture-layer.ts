import type { KeyEvent } from "../input/decode-keys.ts";
import { keyName } from "../keymap/key-name.ts";
import { captureLines } from "../view/capture-lines.ts";
import type { Layer } from "./layer.ts";
import { type Handled, type KeyCapture, stay, type Ui, type UiContext } from "./ui-state.ts";

const MAX_KEYS = 3;

/** Captures the new keys of an action, regardless of their current bindings. */
export function captureLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { capture } = ui;
  if (!capture) return undefined;
  return {
    contexts: [],
    draft: "empty",
    place: "whole",
    press: (event) => press(ui, capture, event, context),
    handle: () => stay(ui),
    lines: (room) => ({ lines: captureLines(capture, room) }),
  };
}

function press(ui: Ui, capture: KeyCapture, event: KeyEvent, { nowMs }: UiContext): Handled {
  const { pressed, back, check, inputOf } = capture;
  const to = (keys: readonly string[]) => stay({ ...ui, capture: { ...capture, pressed: keys } });
  const leave = (text: string): Handled => ({
    ui: { ...ui, capture: undefined, answeredAt: nowMs },
    effects: [{ type: "submit", text, remembered: "" }],
  });
  const key = keyName(event);
  if (key === "esc" || key === "ctrl+c") return leave(back);
  if (key === "backspace" && pressed.length > 0) return to(pressed.slice(0, -1));
  if (key === "enter") {
    const keys = pressed.join(" ");
    return pressed.length > 0 && check(keys).problem === undefined ? leave(inputOf(keys)) : stay(ui);
  }
  return key === undefined || pressed.length === MAX_KEYS ? stay(ui) : to([...pressed, key]);
}
