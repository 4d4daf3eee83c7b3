import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { layoutEditor } from "../editor/editor-layout.ts";
import type { Block, Room } from "../layers/layer.ts";
import type { Ui } from "../layers/ui-state.ts";
import { MARK_COLUMNS } from "./layout.ts";
import { GLYPHS } from "./theme.ts";

/** How many rows of a long text are shown at once. */
function maxPromptRows(rows: number): number {
  return Math.max(1, Math.min(12, Math.floor(rows / 3)));
}

/** The rule, and the typed text with the cursor. */
export function promptLines(ui: Pick<Ui, "editor">, { theme, columns, rows }: Room): Block {
  const layout = layoutEditor(ui.editor.text, ui.editor.cursor, columns - MARK_COLUMNS);
  const max = maxPromptRows(rows);
  const from = Math.max(0, Math.min(layout.row - max + 1, layout.rows.length - max));
  const shown = layout.rows.slice(from, from + max);
  const isShell = ui.editor.text.startsWith("!");
  const mark = isShell ? theme.warning(GLYPHS.prompt) : theme.accent(GLYPHS.prompt);
  const hidden = layout.rows.length - shown.length;
  const note = hidden > 0 ? truncateText(` ${layout.rows.length} rows, ${from} above `, columns - 2) : "";
  return {
    lines: [
      theme.dim(`${"─".repeat(columns - textWidth(note) - 2)}${note}──`),
      ...shown.map((row, at) => `${from + at === 0 ? mark : " "} ${visible(row.text)}`),
    ],
    cursor: { x: MARK_COLUMNS + layout.column, y: 1 + layout.row - from },
  };
}

/** The typed text is kept; a character without a width would only shift the others. */
function visible(text: string): string {
  return text.includes("\t") ? text.replaceAll("\t", " ") : text;
}
