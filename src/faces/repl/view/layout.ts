import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";

/** The columns of the mark (`●`, `✗`), and of the verb after it. */
export const MARK_COLUMNS = 2;
export const VERB_COLUMNS = 7;
export const BODY_COLUMNS = MARK_COLUMNS + VERB_COLUMNS;
/** The maximum width of prose, because longer lines are hard to read. */
export const MAX_TEXT_COLUMNS = 110;
/** The columns that the edges of a dialog's box take, including the space inside. */
export const BORDER_COLUMNS = 4;
const MIN_INNER_COLUMNS = 16;
/** The minimum gap between the two sides of `spread`. */
export const SPREAD_GAP = 2;
/** The share of the window's rows that a dialog takes; the conversation above keeps the rest. */
const DIALOG_SHARE = 0.6;
/** The minimum number of rows for a dialog, even in a very low window. */
const LEAST_DIALOG_ROWS = 6;
/** A name and the gap after it: two or more blanks, followed only by words. */
const TWO_COLUMNS = /^\s*\S+(?: \S+)* {2,}(?=\S+(?: \S+)*$)/;

/**
 * `left` at the left edge, `right` at the right edge; if both don't fit, `right` is dropped first, then `left` is cut.
 */
export function spread(left: string, right: string, columns: number): string {
  const rightWidth = textWidth(right);
  if (rightWidth === 0 || rightWidth + SPREAD_GAP + 12 > columns) return truncateText(left, columns);
  const shown = truncateText(left, columns - rightWidth - SPREAD_GAP);
  return shown + " ".repeat(columns - rightWidth - textWidth(shown)) + right;
}

/** The columns inside of a dialog's box. */
export function innerColumns(columns: number): number {
  return Math.max(MIN_INNER_COLUMNS, columns - BORDER_COLUMNS);
}

/** The rows of the conversation that stay in view above a list or a panel, fewer in a low window. */
const CONTEXT_ROWS = 4;
const CONTEXT_SHARE = 6;
/** The status line, and the last row of the window, which no frame takes. */
const ROWS_BESIDE_PANEL = 2;

/** The maximum number of rows of a list or a panel in a window of `rows`: it covers the conversation only for a while. */
export function panelRows(rows: number): number {
  const context = Math.min(CONTEXT_ROWS, Math.floor(rows / CONTEXT_SHARE));
  return Math.max(LEAST_DIALOG_ROWS, rows - ROWS_BESIDE_PANEL - context);
}

/** The maximum number of rows of a dialog in a window of `rows`. */
export function dialogRows(rows: number): number {
  return Math.max(LEAST_DIALOG_ROWS, Math.floor(rows * DIALOG_SHARE));
}

/**
 * Wraps each line. Continuation lines are indented like the line's text, or like the second column of a two-column
 * table.
 */
export function wrapIndented(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => {
    if (textWidth(line) <= columns) return [line.trimEnd()];
    const half = Math.floor(columns / 2);
    const head = TWO_COLUMNS.exec(line)?.[0] ?? "";
    if (head !== "" && textWidth(head) <= half) {
      const column = textWidth(head);
      return wrapText(line.slice(head.length), columns - column).map((part, at) =>
        at === 0 ? head + part : " ".repeat(column) + part,
      );
    }
    const indent = Math.min(line.length - line.trimStart().length, half);
    return wrapText(line.trimStart(), columns - indent).map((part) => " ".repeat(indent) + part);
  });
}
