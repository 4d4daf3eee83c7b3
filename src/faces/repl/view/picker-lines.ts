import { joinedLines } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Block, Room } from "../layers/layer.ts";
import { shownChoices } from "../layers/picker.ts";
import type { Picker, Ui } from "../layers/ui-state.ts";
import { MARK_COLUMNS, spread } from "./layout.ts";
import { GLYPHS } from "./theme.ts";

/** The rule, title, filter and hint of a list, and the fixed rows of the frame. */
const ROWS_BESIDE = 7;
const MIN_LABEL_COLUMNS = 24;
const MAX_DOTS = 32;

/** A list to choose from, with its filter. */
export function pickerLines(picker: Picker, { theme, columns, rows }: Room): Block {
  const max = Math.max(1, rows - ROWS_BESIDE);
  const { index, title, filter } = picker;
  const choices = shownChoices(picker);
  const from = Math.max(0, Math.min(index - Math.floor(max / 2), choices.length - max));
  const shown = choices.slice(from, from + max).map(({ label, detail, brief = detail }, at) => {
    const text = joinedLines(label);
    const lead = from + at === index ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : `  ${text}`;
    const room = columns - Math.min(MIN_LABEL_COLUMNS, MARK_COLUMNS + textWidth(text)) - 2;
    return spread(lead, theme.dim(plainText(textWidth(detail) <= room ? detail : brief)), columns);
  });
  const more = choices.length > shown.length ? `${from + 1}–${from + shown.length} of ${choices.length}` : "";
  const typed = filter === "" ? [] : [truncateText(`${theme.accent(GLYPHS.prompt)} ${joinedLines(filter)}`, columns)];
  const none = shown.length === 0 ? [theme.dim(truncateText("  no match: backspace, or esc", columns))] : [];
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      spread(theme.strong(plainText(title)), theme.dim(more), columns),
      ...typed,
      ...shown,
      ...none,
      theme.dim(truncateText(`  ${hint(picker, columns - 2)}`, columns)),
    ],
  };
}

function hint({ shortcuts = [], isYesNo }: Picker, columns: number): string {
  if (isYesNo) return "↑↓ choose · enter go · esc back";
  const own = shortcuts.map(({ letter, label }) => `ctrl+${letter} ${label}`);
  const hints = [
    ["↑↓ choose", "type to filter", "enter go", "esc back", ...own],
    ["↑↓", "type to filter", "enter", "esc", ...own],
    ["type filters", "enter", "esc", ...own],
    ["type filters", "enter", "esc"],
  ].map((parts) => parts.join(" · "));
  return hints.find((one) => textWidth(one) <= columns) ?? hints.at(-1) ?? "";
}

/** The title of a list, form or text that waits until the person pauses. */
export function heldLines(title: string, { theme, columns }: Room): readonly string[] {
  const words = ["You are typing: it opens when you pause for a second.", "Pause a second to open it."];
  const fitting = words.find((one) => textWidth(one) + 2 <= columns) ?? words.at(-1) ?? "";
  return [
    theme.dim("─".repeat(columns)),
    truncateText(theme.strong(joinedLines(title)), columns),
    theme.warning(truncateText(`${GLYPHS.info} ${fitting}`, columns)),
  ];
}

/** A form field. In a hidden field each character is a dot, so that a person sees that keys arrive. */
export function hiddenLines(
  { title, text, isShown = false }: NonNullable<Ui["hidden"]>,
  { theme, columns }: Room,
): Block {
  const most = Math.max(1, Math.min(MAX_DOTS, columns - MARK_COLUMNS - 1));
  const dots = isShown ? joinedLines(text).slice(-most) : "•".repeat(Math.min(most, [...text].length));
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      truncateText(theme.strong(`${joinedLines(title)}${isShown ? "" : " (not shown)"}`), columns),
      `${theme.accent(GLYPHS.prompt)} ${dots}`,
      theme.dim(truncateText("  enter saves · ctrl+u clears · esc back", columns)),
    ],
    cursor: { x: MARK_COLUMNS + textWidth(dots), y: 2 },
  };
}
