import { joinedLines } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { shownSuggestions } from "../layers/field-suggestions.ts";
import type { Block, Room } from "../layers/layer.ts";
import { shownChoices } from "../layers/picker.ts";
import type { FieldInput, Picker } from "../layers/ui-state.ts";
import { MARK_COLUMNS, spread } from "./layout.ts";
import { GLYPHS } from "./theme.ts";

/** The rule, title, filter and hint of a list, and the fixed rows of the frame. */
const ROWS_BESIDE = 7;
const MIN_LABEL_COLUMNS = 24;
/** `spread` drops a right side that leaves less than this. */
const LEAST_LABEL_COLUMNS = 12;
const MAX_DOTS = 32;
const MAX_SUGGESTIONS = 8;

/** A list to choose from, with its filter. */
export function pickerLines(picker: Picker, { theme, columns, rows }: Pick<Room, "theme" | "columns" | "rows">): Block {
  const max = Math.max(1, rows - ROWS_BESIDE);
  const { index, title, filter } = picker;
  const choices = shownChoices(picker);
  const from = Math.max(0, Math.min(index - Math.floor(max / 2), choices.length - max));
  const shown = choices.slice(from, from + max).map(({ label, detail, brief = detail }, at) => {
    const text = joinedLines(label);
    const lead = from + at === index ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : `  ${text}`;
    const labelColumns = Math.max(LEAST_LABEL_COLUMNS, Math.min(MIN_LABEL_COLUMNS, MARK_COLUMNS + textWidth(text)));
    const room = columns - labelColumns - 2;
    const right = plainText(textWidth(detail) <= room ? detail : brief);
    return spread(lead, theme.dim(truncateText(right, Math.max(1, room))), columns);
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
export function hiddenLines(field: FieldInput, { theme, columns, rows }: Room): Block {
  const { title, text, isShown = false } = field;
  const most = Math.max(1, Math.min(isShown ? columns : MAX_DOTS, columns - MARK_COLUMNS - 1));
  const dots = isShown ? joinedLines(text).slice(-most) : "•".repeat(Math.min(most, [...text].length));
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      truncateText(theme.strong(`${joinedLines(title)}${isShown ? "" : " (not shown)"}`), columns),
      `${theme.accent(GLYPHS.prompt)} ${dots}`,
      ...suggestionLines(field, { theme, columns, rows }),
      theme.dim(truncateText(`  ${fieldHint(field)}`, columns)),
    ],
    cursor: { x: MARK_COLUMNS + textWidth(dots), y: 2 },
  };
}

function fieldHint(field: FieldInput): string {
  if (field.taskId !== undefined) return "enter sends · ctrl+u clears · esc back";
  const hasMore = shownSuggestions(field).length > 0;
  return hasMore ? "enter saves · ↑↓ choose · tab completes · esc back" : "enter saves · ctrl+u clears · esc back";
}

/** Suggestions for a field, a row each; the rows follow the mark. */
function suggestionLines(
  field: FieldInput,
  { theme, columns, rows }: Pick<Room, "theme" | "columns" | "rows">,
): readonly string[] {
  const all = shownSuggestions(field);
  const max = Math.max(1, Math.min(MAX_SUGGESTIONS, rows - ROWS_BESIDE));
  const from = Math.max(0, Math.min((field.mark ?? 0) - max + 1, all.length - max));
  const shown = all.slice(from, from + max);
  const left = all.length - shown.length;
  return shown.map((value, at) => {
    const name = joinedLines(value);
    const lead = from + at === field.mark ? `${theme.accent(GLYPHS.choice)} ${theme.strong(name)}` : `  ${name}`;
    const more = left > 0 && at === shown.length - 1 ? theme.dim(`+${left} more`) : "";
    return spread(truncateText(lead, columns), more, columns);
  });
}
