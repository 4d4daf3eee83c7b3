import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Room } from "../layers/layer.ts";
import type { KeyCapture } from "../layers/ui-state.ts";
import { wrapIndented } from "./layout.ts";
import { GLYPHS } from "./theme.ts";

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
  const hint =
    pressed.length === 0 || problem !== undefined
      ? "backspace removes the last key · esc back"
      : "enter keeps them · another key makes a chord · backspace removes the last key · esc back";
  return [
    theme.dim("─".repeat(columns)),
    truncateText(theme.strong(plainText(title)), columns),
    truncateText(theme.dim(`  ${where}`), columns),
    truncateText(`${theme.accent(GLYPHS.prompt)} ${shown}`, columns),
    ...told.flatMap((line) =>
      wrapIndented(`${GLYPHS.info} ${plainText(line)}`, columns).map((one) => theme.warning(one)),
    ),
    ...wrapIndented(hint, columns - 2).map((line) => theme.dim(`  ${line}`)),
  ];
}
