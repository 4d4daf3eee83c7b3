import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { parseCommand } from "../../../protocol/commands/slash-commands.ts";
import { layoutEditor, type VisualRow } from "../editor/editor-layout.ts";
import { selectionOf } from "../editor/editor-state.ts";
import { visualRange } from "../editor/vim/vim-state.ts";
import type { Block, Room } from "../layers/layer.ts";
import type { Ui } from "../layers/ui-state.ts";
import { MARK_COLUMNS } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintAfter, hintsOf } from "./theme-hints.ts";

/** The maximum number of rows of a long text that are shown at once. */
function maxPromptRows(rows: number): number {
  return Math.max(1, Math.min(12, Math.floor(rows / 3)));
}

type Offered = {
  /** Text that is suggested after the cursor. */
  readonly ghost?: string | undefined;
  /** Texts for an empty prompt, longest first. */
  readonly placeholder?: readonly string[];
};

/** The rule, and the typed text with the cursor. */
export function promptLines(
  ui: Pick<Ui, "editor" | "stash" | "vim">,
  { theme, columns, rows }: Room,
  { ghost = "", placeholder = [] }: Offered = {},
): Block {
  const room = columns - MARK_COLUMNS;
  const layout = layoutEditor(ui.editor.text, ui.editor.cursor, room);
  const max = maxPromptRows(rows);
  const from = Math.max(0, Math.min(layout.row - max + 1, layout.rows.length - max));
  const shown = layout.rows.slice(from, from + max);
  const sign = signOf(ui.editor.text, theme);
  const hidden = layout.rows.length - shown.length;
  const notes = [
    ...(hidden > 0 ? [`${layout.rows.length} rows, ${from} above`] : []),
    ...(ui.stash === undefined ? [] : [`stashed${hintAfter(hintsOf(theme, "prompt")("to restore", "prompt.stash"))}`]),
  ];
  const note = notes.length > 0 ? truncateText(` ${notes.join(" · ")} `, columns - 2) : "";
  const selected = (ui.vim && visualRange(ui.vim, ui.editor)) ?? selectionOf(ui.editor);
  const behind = ghost === "" ? (placeholder.find((one) => textWidth(one) < room) ?? "") : ghost;
  const offered = (at: number) =>
    from + at === layout.rows.length - 1 ? offeredText(behind, room - 1 - layout.column) : "";
  return {
    lines: [
      theme.dim(`${"─".repeat(columns - textWidth(note) - 2)}${note}──`),
      ...shown.map(
        (row, at) => `${from + at === 0 ? sign : " "} ${paintedRow(row, selected, theme)}${theme.dim(offered(at))}`,
      ),
    ],
    cursor: { x: MARK_COLUMNS + layout.column, y: 1 + layout.row - from },
  };
}

/** The sign before the text, which tells commands from what the model gets. */
function signOf(text: string, theme: Theme): string {
  if (text.trimStart().startsWith("!")) return theme.strong(theme.warning(GLYPHS.shell));
  const isCommand = text.trim() === "/" || parseCommand(text) !== undefined;
  return isCommand ? theme.strong(theme.accent(GLYPHS.command)) : theme.accent(GLYPHS.prompt);
}

/** Draws a row with its selected part. A selected line break is shown as a blank. */
function paintedRow({ start, end, text }: VisualRow, selected: ReturnType<typeof selectionOf>, theme: Theme): string {
  if (!selected || selected.to <= start || selected.from > end) return visible(text);
  const from = Math.max(0, selected.from - start);
  const to = Math.min(text.length, selected.to - start);
  const hasBreak = selected.to > end && selected.from <= end && text === "";
  const middle = theme.inverse(`${visible(text.slice(from, to))}${hasBreak ? " " : ""}`);
  return `${visible(text.slice(0, from))}${middle}${visible(text.slice(to))}`;
}

/** The first line of a suggested text, as far as it fits into `columns`. */
function offeredText(text: string, columns: number): string {
  const [line = "", ...more] = text.split("\n", 2);
  const whole = plainText(visible(line)) + (more.length > 0 ? "…" : "");
  return truncateText(whole, columns);
}

/** The typed text is kept; a character without a width would only shift the other characters. */
function visible(text: string): string {
  return text.includes("\t") ? text.replaceAll("\t", " ") : text;
}
