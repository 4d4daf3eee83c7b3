import { graphemes } from "@quoll/terminal-text/graphemes";
import { textWidth } from "@quoll/terminal-text/text-width";

/** One row on the screen: the part of the text from `start` to `end` (UTF-16 units), without its line break. */
export type VisualRow = { readonly start: number; readonly end: number; readonly text: string };

export type EditorLayout = {
  readonly rows: readonly VisualRow[];
  /** The cursor's row, and its column in cells. */
  readonly row: number;
  readonly column: number;
};

/**
 * Wraps the text into rows of at most `columns − 1` cells, at spaces if possible, so that the cursor always has a cell
 * after the last character.
 */
export function layoutEditor(text: string, cursor: number, columns: number): EditorLayout {
  const width = Math.max(2, columns - 1);
  const rows: VisualRow[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    wrapLine(line, start, width, rows);
    start += line.length + 1;
  }
  let row = rows.length - 1;
  // At a soft break the cursor belongs to the start of the next row.
  while (row > 0 && (rows[row]?.start ?? 0) > cursor) row -= 1;
  const found = rows[row] ?? { start: 0, end: 0, text: "" };
  return { rows, row, column: textWidth(text.slice(found.start, Math.min(cursor, found.end))) };
}

/** The index in the text that is nearest to a row and a column. */
export function indexAt({ rows }: EditorLayout, row: number, column: number): number {
  const target = rows[Math.max(0, Math.min(row, rows.length - 1))];
  if (!target) return 0;
  let at = target.start;
  let width = 0;
  for (const grapheme of graphemes(target.text)) {
    const next = width + textWidth(grapheme);
    if (next > column) break;
    width = next;
    at += grapheme.length;
  }
  // After the last character of a soft-wrapped row the cursor would appear on the next row.
  const isSoftBreak = rows[row + 1]?.start === target.end;
  return isSoftBreak && at === target.end && at > target.start ? at - lastGraphemeLength(target.text) : at;
}

function wrapLine(line: string, start: number, width: number, rows: VisualRow[]): void {
  let rowStart = 0;
  let at = 0;
  let used = 0;
  let breakAt = 0;
  for (const grapheme of graphemes(line)) {
    const cells = textWidth(grapheme);
    while (used + cells > width && at > rowStart) {
      const end = breakAt > rowStart ? breakAt : at;
      rows.push({ start: start + rowStart, end: start + end, text: line.slice(rowStart, end) });
      rowStart = end;
      used = textWidth(line.slice(rowStart, at));
    }
    at += grapheme.length;
    used += cells;
    if (grapheme === " ") breakAt = at;
  }
  rows.push({ start: start + rowStart, end: start + line.length, text: line.slice(rowStart) });
}

function lastGraphemeLength(text: string): number {
  return graphemes(text).at(-1)?.length ?? 0;
}
