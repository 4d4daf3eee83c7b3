import { textWidth } from "@quoll/terminal-text/text-width";
import { layoutEditor } from "../editor/editor-layout.ts";
import type { Editor } from "../editor/editor-state.ts";
import type { Block } from "../layers/layer.ts";
import type { Theme } from "./theme.ts";

type Style = { readonly theme: Theme; readonly columns: number; readonly maxRows: number };

export type TypedRows = {
  readonly lines: readonly string[];
  readonly cursor: NonNullable<Block["cursor"]>;
  /** The rows above the first shown row. */
  readonly above: number;
};

const MIN_COLUMNS = 8;

/** The typed answer to a question behind its label: at most `maxRows` rows, with the row of the cursor. */
export function typedRows({ text, cursor }: Editor, label: string, { theme, columns, maxRows }: Style): TypedRows {
  const indent = textWidth(label);
  const { rows, row, column } = layoutEditor(text, cursor, Math.max(MIN_COLUMNS, columns - indent));
  const above = Math.max(0, Math.min(row - maxRows + 1, rows.length - maxRows));
  const lines = rows.slice(above, above + maxRows).map((line, at) => {
    const lead = above + at === 0 ? theme.accent(label) : " ".repeat(indent);
    return lead + line.text.replaceAll("\t", " ");
  });
  return { lines, cursor: { x: indent + column, y: row - above }, above };
}
