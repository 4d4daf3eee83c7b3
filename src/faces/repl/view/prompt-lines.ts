import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { layoutEditor } from "../editor/editor-layout.ts";
import { chosenCompletion, completions } from "../ui/completion.ts";
import { KEYS } from "../ui/key-table.ts";
import type { Completion, Ui } from "../ui/ui-state.ts";
import { MARK_COLUMNS, spread } from "./layout.ts";
import type { Block } from "./question-box.ts";
import { GLYPHS, type Theme } from "./theme.ts";

type Style = { readonly theme: Theme; readonly columns: number; readonly rows: number };

const MAX_COMPLETION_ROWS = 12;

/** How many rows of a long text are shown at once. */
function maxPromptRows(rows: number): number {
  return Math.max(1, Math.min(12, Math.floor(rows / 3)));
}

/** The rule, what is typed with the cursor in it, and below it what may be chosen. */
export function promptLines(ui: Ui, commands: readonly Completion[], style: Style): Block {
  const { theme, columns, rows } = style;
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
      ...completionLines(ui, commands, style),
      ...(ui.showsKeys ? keyLines(style) : []),
    ],
    cursor: { x: MARK_COLUMNS + layout.column, y: 1 + layout.row - from },
  };
}

/** What is typed is kept as it is; a character without a width would only shift what follows. */
function visible(text: string): string {
  return text.includes("\t") ? text.replaceAll("\t", " ") : text;
}

function completionLines(ui: Ui, commands: readonly Completion[], { theme, columns, rows }: Style): readonly string[] {
  const found = completions(ui, commands);
  const chosen = chosenCompletion(ui, found);
  if (!chosen) return [];
  const max = Math.max(1, Math.min(MAX_COMPLETION_ROWS, rows - 6));
  const index = found.indexOf(chosen);
  const from = Math.max(0, Math.min(index - max + 1, found.length - max));
  const width = Math.max(...found.map((command) => nameOf(command).length));
  const shown = found.slice(from, from + max);
  const left = found.length - shown.length;
  return shown.map((command, at) => {
    const isChosen = command === chosen;
    const name = padText(nameOf(command), width);
    const lead = isChosen ? `${theme.accent(GLYPHS.choice)} ${theme.strong(name)}` : `  ${name}`;
    const line = `${lead}  ${theme.dim(plainText(command.summary))}`;
    const more = left > 0 && at === shown.length - 1 ? theme.dim(`+${left} more`) : "";
    return spread(line, more, columns);
  });
}

function nameOf({ name, argumentHint }: Completion): string {
  return plainText(argumentHint === "" ? `/${name}` : `/${name} ${argumentHint}`);
}

function keyLines({ theme, columns, rows }: Style): readonly string[] {
  const width = Math.max(...KEYS.map(({ keys }) => keys.length));
  const room = Math.max(1, rows - 6);
  return KEYS.slice(0, room).map(({ keys, does }) =>
    columns < width + 24
      ? truncateText(`  ${keys}: ${theme.dim(does)}`, columns)
      : truncateText(`  ${padText(keys, width)}  ${theme.dim(does)}`, columns),
  );
}
