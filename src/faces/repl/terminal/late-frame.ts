import { textWidth } from "@quoll/terminal-text/text-width";
import type { Size } from "../repl-screen-state.ts";
import type { Frame } from "../view/live-frame.ts";
import { shiftedRows } from "./shifted-rows.ts";

/** The last frame as it was written: what it was written over, and the sequence. */
export type WrittenFrame = { readonly before: Frame; readonly text: string };

/**
 * Has a frame move the cursor to its column by way of the right edge of the window: in a narrower window, it ends further left, which
 * tells later that the frame was on its way when the window changed.
 */
export function toMarkedColumn(frame: string, x: number, columns: number): string {
  const end = `\u001b[${x + 1}G`;
  const rest = frame.endsWith(end) ? frame.slice(0, -end.length) : frame;
  const back = columns - 1 - x;
  // A move by 0 columns is one by 1.
  return `${rest}\u001b[${columns}G${back > 0 ? `\u001b[${back}D` : ""}`;
}

/**
 * The narrower window that a frame was written into, by the column in which the cursor is.
 * @param sizes From the one that the frame was drawn for to the present one.
 * @returns undefined if the frame was on the screen before the window changed.
 */
export function lateSize({ cursor }: Frame, sizes: readonly Size[], column: number): Size | undefined {
  const [drawn] = sizes;
  if (!cursor || !drawn) return undefined;
  const x = column - 1;
  const narrowest = Math.min(...sizes.map(({ columns }) => columns));
  if (x === Math.min(cursor.x, narrowest - 1)) return undefined;
  return sizes.find(({ columns }) => columns < drawn.columns && x === Math.max(0, cursor.x - drawn.columns + columns));
}

/**
 * How many rows above the cursor xterm.js has the first row of the frame that a late frame was written over.
 * @param rowsBelow The rows of the screen below the cursor.
 */
export function lateRows(
  frame: Frame,
  { before, text }: WrittenFrame,
  sizes: readonly [Size, Size],
  rowsBelow: number,
): number {
  const [drawn, now] = sizes;
  // How many rows a picture takes is not known here.
  if (PICTURE.test(text)) return frame.cursor?.y ?? 0;
  const moved = rowsMoved(text, before.cursor?.x ?? 0, now.columns);
  const rows = ({ lines, cursor }: Frame) => lines.length - (cursor?.y ?? lines.length);
  // A frame that ends in the last row of the window may have scrolled it: then the frame before was there, too.
  const isScrolled = rowsBelow <= rows(frame);
  const below = isScrolled ? Math.max(0, rows(before) + Math.min(0, now.rows - drawn.rows)) : rowsBelow + moved;
  return shiftedRows(before, sizes, below) + moved;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
const PICTURE = /\u001b[_P]|\u001b\]1337/;
const PART =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
  /\u001b\[[?>]?(\d*)[\d;:]*([@-~])|\u001b([78])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\r\n]|[^\u001b\r\n]+/g;

/** By how many rows a frame moves the cursor down in a window of this width, whose edge wraps what is written. */
function rowsMoved(text: string, from: number, columns: number): number {
  let at = { x: from, y: 0 };
  let kept = at;
  for (const [part, count, final, keeps] of text.matchAll(PART)) {
    if (keeps === "7") kept = at;
    else if (keeps === "8") at = kept;
    else if (final !== undefined) at = moved(at, final, Number(count) || 1, columns);
    else if (part === "\r") at = { ...at, x: 0 };
    else if (part === "\n") at = { x: 0, y: at.y + 1 };
    else if (!part.startsWith("\u001b")) {
      const end = Math.max(1, at.x + textWidth(part));
      at = { x: ((end - 1) % columns) + 1, y: at.y + Math.floor((end - 1) / columns) };
    }
  }
  return at.y;
}

type Place = { readonly x: number; readonly y: number };

function moved({ x, y }: Place, final: string, count: number, columns: number): Place {
  const last = columns - 1;
  if (final === "A") return { x: Math.min(x, last), y: y - count };
  if (final === "G") return { x: Math.min(count - 1, last), y };
  if (final === "C") return { x: Math.min(x + count, last), y };
  if (final === "D") return { x: Math.max(0, Math.min(x, last) - count), y };
  return final === "L" || final === "M" ? { x: 0, y } : { x, y };
}
