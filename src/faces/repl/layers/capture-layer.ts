import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { KeyEvent } from "../input/decode-keys.ts";
import { keyName } from "../keymap/key-name.ts";
import { MARK_COLUMNS, wrapIndented } from "../view/layout.ts";
import { GLYPHS } from "../view/theme.ts";
import { hintRows } from "../view/theme-hints.ts";
import type { Layer, Room } from "./layer.ts";
import { type Handled, type KeyCapture, running, stay, type Ui, type UiContext } from "./ui-state.ts";

const MAX_KEYS = 3;

/** Captures the new keys of an action, regardless of their current bindings. */
export function captureLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { capture } = ui;
  if (!capture) return undefined;
  return {
    contexts: [],
    draft: "empty",
    place: "whole",
    isPanel: true,
    press: (event) => press(ui, capture, event, context),
    handle: () => stay(ui),
    lines: (room) => ({ lines: captureLines(capture, room) }),
  };
}

function press(ui: Ui, capture: KeyCapture, event: KeyEvent, { nowMs }: UiContext): Handled {
  const { pressed, back, check, inputOf } = capture;
  const to = (keys: readonly string[]) => stay({ ...ui, capture: { ...capture, pressed: keys } });
  const leave = (text: string) => running({ ...ui, capture: undefined, answeredAt: nowMs }, text);
  const key = keyName(event);
  if (key === "esc" || key === "ctrl+c") return leave(back);
  if (key === "backspace" && pressed.length > 0) return to(pressed.slice(0, -1));
  if (key === "enter") {
    const keys = pressed.join(" ");
    return pressed.length > 0 && check(keys).problem === undefined ? leave(inputOf(keys)) : stay(ui);
  }
  return key === undefined || pressed.length === MAX_KEYS ? stay(ui) : to([...pressed, key]);
}

const MAX_NOTES = 3;

/** The box that captures new keys: their action, the pressed keys, and the effect of the change. */
export function captureLines(
  capture: KeyCapture,
  { theme, columns }: Pick<Room, "theme" | "columns">,
): readonly string[] {
  const { title, where, pressed, check } = capture;
  const { problem, notes } = pressed.length === 0 ? { problem: undefined, notes: [] } : check(pressed.join(" "));
  const told = problem === undefined ? notes.slice(0, MAX_NOTES) : [problem];
  const shown = pressed.length === 0 ? theme.dim("press the keys") : theme.strong(pressed.join(" "));
  const hints =
    pressed.length === 0 || problem !== undefined
      ? ["backspace removes one", "esc back"]
      : ["enter keeps", "another key makes a chord", "backspace removes one", "esc back"];
  return [
    theme.dim("─".repeat(columns)),
    truncateText(theme.strong(plainText(title)), columns),
    truncateText(theme.dim(`  ${where}`), columns),
    truncateText(`${theme.accent(GLYPHS.prompt)} ${shown}`, columns),
    ...told.flatMap((line) =>
      wrapIndented(plainText(line), columns - MARK_COLUMNS).map((one, at) =>
        theme.warning(`${at === 0 ? GLYPHS.info : " "} ${one}`),
      ),
    ),
    ...hintRows(columns - MARK_COLUMNS, hints).map((line) => theme.dim(truncateText(`  ${line}`, columns))),
  ];
}
