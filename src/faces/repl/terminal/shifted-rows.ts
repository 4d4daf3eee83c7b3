import { textWidth } from "@quoll/terminal-text/text-width";
import type { Size } from "../repl-screen-state.ts";
import type { Frame } from "../view/live-frame.ts";

/** A line of the frame: its width, and the rows that it takes. */
type Line = { width: number; rows: number };

/**
 * How many rows above the cursor xterm.js has the first row of a frame, after the window had some sizes. It wraps lines again, but not
 * the one with the cursor, and the cursor stays where it is while rows are added below it: it then stands in a later line, which the
 * next size leaves as it is. A lower window first drops rows below the cursor.
 * @param sizes From the one that the frame was drawn for to the present one.
 * @param rowsBelow The rows of the screen below the cursor now; undefined: the terminal gave no answer.
 */
export function shiftedRows({ lines, cursor }: Frame, sizes: readonly Size[], rowsBelow: number | undefined): number {
  const now = sizes.at(-1);
  // A line that the window had no room for was cut when it was written.
  const most = sizes[0]?.columns ?? Number.POSITIVE_INFINITY;
  const model: Line[] = lines.map((line) => ({ width: Math.min(textWidth(line.trimEnd()), most), rows: 1 }));
  let at = cursor?.y ?? lines.length;
  let below = lines.length - at;
  for (const [step, { columns, rows }] of sizes.entries()) {
    const before = sizes[step - 1];
    if (!before || !now) continue;
    // Rows that are below the cursor now were there at each of the sizes.
    const isKnown = rowsBelow !== undefined && (rowsBelow > 0 || step === sizes.length - 1);
    if (isKnown) below = Math.max(0, rowsBelow - now.rows + rows);
    else if (below > 0 || rows < before.rows) below = Math.max(0, below + rows - before.rows);
    if (rowsBelow !== undefined) drop(model, at + 1 + below, before.columns);
    at += wrapped(model, at, columns, columns < before.columns);
  }
  return at;
}

/**
 * Wraps all lines but the one with the cursor, from the last to the first. The cursor goes on while a narrower window adds rows, but not
 * while a wider one takes rows away. @returns how many rows are added.
 */
function wrapped(model: readonly Line[], cursorRow: number, columns: number, isNarrower: boolean): number {
  let added = 0;
  let end = model.reduce((sum, { rows }) => sum + rows, 0);
  for (const line of model.toReversed()) {
    const { rows, width } = line;
    const at = isNarrower ? cursorRow + added : cursorRow;
    const hasCursor = at >= end - rows && at < end;
    end -= rows;
    if (hasCursor) line.width = Math.min(width, rows * columns);
    else line.rows = Math.max(1, Math.ceil(width / columns));
    added += line.rows - rows;
  }
  return added;
}

/** Takes rows at the end away, so that no more than `kept` remain. */
function drop(model: Line[], kept: number, columns: number): void {
  let rows = model.reduce((sum, line) => sum + line.rows, 0);
  for (let last = model.at(-1); last && rows > kept; last = model.at(-1)) {
    rows -= 1;
    last.rows -= 1;
    if (last.rows === 0) model.pop();
    else last.width = Math.min(last.width, last.rows * columns);
  }
}
