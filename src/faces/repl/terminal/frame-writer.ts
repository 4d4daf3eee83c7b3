import { textWidth } from "@quoll/terminal-text/text-width";
import type { Size } from "../repl-screen-state.ts";
import { ERASE_BELOW } from "./erase-below.ts";
import { toMarkedColumn } from "./late-frame.ts";
import { drawsPicture } from "./picture-rows.ts";
import { rowBehind, rowUpdate } from "./row-update.ts";

/** Before and after a frame: the terminal shows it as a whole. */
const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";
const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";
/** Keeps the cursor's place, and returns to it (DECSC, DECRC). */
const KEEP = "\u001b7";
const RETURN = "\u001b8";
/** A frame of at most so many characters is read and shown by the terminal at once without being marked. */
const SMALL_CHARS = 400;
/**
 * A patch changes rows only in this share of the window, counted from the end of the frame. tmux tells a program up to 250 ms late
 * that its window became lower; the first rows of a tall frame are in the history by then, and a move up to them stops too early.
 */
const PATCHED_SHARE = 0.5;
/**
 * A patch prints no more rows that are not on the screen yet. If the window gets narrower while a frame is on its way, a patch ends in
 * a wrong row, and what it printed there is lost; rows that are written whole are not.
 */
const MAX_PATCHED_ABOVE = 1;
/** Writing fewer unchanged rows again costs no more than moving them. */
const MIN_MOVED = 2;

export type Place = { readonly x: number; readonly y: number };

export type WrittenFrame = {
  /** Rows that are printed above the frame and then belong to the terminal. */
  readonly above: readonly string[];
  /** The rows of the frame, the last one being the empty row below it. */
  readonly rows: readonly string[];
  /** The cursor's place in the frame; undefined: it is hidden. */
  readonly cursor: Place | undefined;
  /**
   * True for a frame with a list or a panel, which closes again: it covers printed rows instead of moving them into the terminal's
   * history, and the next other frame writes them again. No blank rows remain then.
   */
  readonly isPanel?: boolean;
  /** How many of the first rows are of the conversation. A panel with this number covers the last rows, others the first ones. */
  readonly openRows?: number;
  /** True if the cursor's column is to tell later how wide the window was (`late-frame.ts`). */
  readonly marksWidth?: boolean;
};

/**
 * Writes the next frame over the last one with few bytes: rows that stay are not written again, rows below text that
 * grows are moved, and text that is printed where it already stands costs nothing. It knows its rows, but not their place on the screen.
 */
export class FrameWriter {
  #rows: readonly string[] = [""];
  #cursor: Place = { x: 0, y: 0 };
  #isShown = true;
  /** The printed rows that are certainly on the screen, right above the frame. */
  #above: readonly string[] = [];
  /** The printed rows that a panel covers, some of them drawn again above the panel. */
  #covered: readonly string[] = [];
  /** How many covered rows are drawn above the panel, if these are the first ones. */
  #drawnAbove = 0;
  /** True if the covered rows are on the screen no more, not even in part. */
  #isErased = false;
  /** The rows of the last frame without a panel. */
  #closedRows = 1;
  #written = 0;

  /** The rows of the frame on the screen. */
  get rows(): readonly string[] {
    return this.#rows;
  }

  get cursor(): Place {
    return this.#cursor;
  }

  /** @returns the rest of a printed row whose first columns are in the history; it is still on the screen. */
  rowBehind(row: string, columns: number): string {
    return rowBehind(row, columns);
  }

  /** How many covered rows were written again so far. */
  get rewrittenRows(): number {
    return this.#written;
  }

  /** The sequence that shows a frame. */
  frame(next: WrittenFrame, size: Size): string {
    const { above, rows, cursor } = next;
    if (!next.isPanel) {
      this.#closedRows = rows.length;
      return this.#withCursor(this.#shown({ ...next, above: [...this.#uncovered(), ...above] }, size), cursor);
    }
    // Printed rows scroll as far as they do without the panel.
    const isChanged = above.length > 0 || this.#isErased;
    const blank = Array.from({ length: Math.min(this.#closedRows, size.rows) }, () => "");
    const printed = isChanged
      ? this.#shown({ above: [...this.#uncovered(), ...above], rows: blank, cursor: undefined }, size)
      : "";
    this.#cover();
    const { openRows = 0 } = next;
    const shown = this.#rowsAbove(next, size);
    const place = cursor && { x: cursor.x, y: cursor.y - openRows + shown.length };
    return this.#withCursor(printed + this.#drawn([...shown, ...rows.slice(openRows)], place, size), cursor);
  }

  /** The rows of the conversation above a panel, as many as the window has room for. */
  #rowsAbove({ rows, openRows }: WrittenFrame, size: Size): readonly string[] {
    const all = [...this.#covered, ...rows.slice(0, openRows ?? 0)];
    const room = Math.max(0, size.rows - rows.length + (openRows ?? 0));
    const isFirst = openRows !== undefined || all.length <= room;
    // The first rows stand where they stood: in a smaller window the terminal moves them into its history, which stays in order.
    this.#drawnAbove = isFirst ? Math.min(room, this.#covered.length) : 0;
    return isFirst ? all.slice(0, room) : all.slice(all.length - room);
  }

  /** Shows a frame, and keeps in mind what is above it. */
  #shown({ above, rows, cursor, marksWidth }: WrittenFrame, size: Size): string {
    const isOther = above.length + rows.length !== this.#rows.length;
    const drawn = this.#drawn(rows, cursor, size, above);
    // Only such frames end in another row if the window became narrower meanwhile.
    const isMarked = marksWidth && cursor && (isOther || drawn.includes(ERASE_BELOW));
    const text = isMarked ? toMarkedColumn(drawn, cursor.x, size.columns) : drawn;
    const wide = above.findLastIndex((row) => isUncoverable(row, size));
    const known = wide < 0 ? [...this.#above, ...above] : above.slice(wide + 1);
    this.#above = known.slice(Math.max(0, known.length - Math.max(0, size.rows - rows.length)));
    return text;
  }

  #drawn(rows: readonly string[], cursor: Place | undefined, size: Size, above: readonly string[] = []): string {
    const next = [...above, ...rows];
    const isTooWide = above.some((row) => isUncoverable(row, size));
    const end = cursor ?? { x: 0, y: rows.length - 1 };
    const place = { x: end.x, y: above.length + end.y };
    const whole = this.#rewritten(next, place, isTooWide);
    const isSafe = above.filter((row, at) => row !== this.#rows[at]).length <= MAX_PATCHED_ABOVE;
    const patched = isTooWide || !isSafe || next.length > size.rows ? undefined : this.#patched(next, place, size);
    this.#rows = rows;
    this.#cursor = end;
    return patched === undefined || patched.length > whole.length ? whole : patched;
  }

  /** The rows above the frame become a part of it. */
  #cover(): void {
    if (this.#covered.length > 0) return;
    this.#covered = this.#above;
    this.#above = [];
    this.#rows = [...this.#covered, ...this.#rows];
    this.#cursor = { x: this.#cursor.x, y: this.#cursor.y + this.#covered.length };
  }

  /** The covered rows, which are to be printed again. */
  #uncovered(): readonly string[] {
    const rows = this.#covered;
    this.#covered = [];
    this.#drawnAbove = 0;
    this.#isErased = false;
    this.#written += rows.length;
    return rows;
  }

  /** The sequence that erases the frame; the next one begins in its first row. Covered rows are printed again with it. */
  erase(): string {
    const pen = this.#pen();
    pen.to({ x: 0, y: 0 });
    this.#rows = [""];
    this.#cursor = { x: 0, y: 0 };
    this.#above = [];
    this.#isErased = this.#covered.length > 0;
    return pen.text + ERASE_BELOW;
  }

  /**
   * The terminal moved the first rows of the frame into its history. Covered ones among them are printed by that.
   * @param widths Of the moved rows; of one that was moved in part, the width of that part.
   * @returns the widths of rows that are no printed ones.
   */
  moved(widths: readonly number[]): readonly number[] {
    const count = Math.min(widths.length, this.#drawnAbove);
    const last = this.#covered[count - 1];
    const rest = last === undefined ? "" : rowBehind(last, widths[count - 1] ?? 0);
    this.#covered = [...(rest === "" ? [] : [rest]), ...this.#covered.slice(count)];
    this.#drawnAbove = 0;
    return widths.slice(count);
  }

  /** The sequence that erases the frame and writes the rows that it covers, because something else is written below them. */
  uncover(): string {
    const erased = this.erase();
    return (
      erased +
      this.#uncovered()
        .map((row) => `${row}\n`)
        .join("")
    );
  }

  /** The sequence that moves the cursor below the frame, which then belongs to the terminal. */
  leave(): string {
    const pen = this.#pen();
    pen.to({ x: 0, y: this.#rows.length - 1 });
    this.#rows = [""];
    this.#cursor = { x: 0, y: 0 };
    return pen.text;
  }

  /** The sequence that shows or hides the cursor. */
  show(isShown: boolean): string {
    this.#isShown = isShown;
    return isShown ? SHOW : HIDE;
  }

  #pen(): Pen {
    return new Pen(this.#cursor);
  }

  #withCursor(text: string, cursor: Place | undefined): string {
    const isShown = cursor !== undefined;
    const wasShown = this.#isShown;
    this.#isShown = isShown;
    if (text.length > SMALL_CHARS) return BEGIN + (wasShown ? HIDE : "") + text + (isShown ? SHOW : "") + END;
    return text + (isShown === wasShown ? "" : this.show(isShown));
  }

  /** Erases from the first row that differs, and writes all rows from there. */
  #rewritten(next: readonly string[], place: Place, isWhole: boolean): string {
    const before = this.#rows;
    const most = isWhole ? 0 : Math.min(before.length, next.length) - 1;
    let from = 0;
    while (from < most && before[from] === next[from]) from += 1;
    const pen = this.#pen();
    if (from < next.length - 1 || before.length !== next.length) {
      pen.to({ x: 0, y: from });
      const isEmpty = before.length === 1 && before[0] === "";
      pen.write((isEmpty ? "" : ERASE_BELOW) + next.slice(from).join("\n"), next.length - 1);
    }
    pen.to(place);
    return pen.text;
  }

  /** Rows below the cursor come first, so that it moves down over few rows: a row further down takes two bytes. */
  #order(count: number, isMoved: boolean): readonly number[] {
    const all = Array.from({ length: count }, (_, y) => y);
    const below = isMoved ? 0 : Math.min(this.#cursor.y + 1, count);
    return [...all.slice(below), ...all.slice(0, below)];
  }

  /** Moves the rows at the end of the frame, and writes what differs in each row. @returns undefined if too little would be moved, or too far up. */
  #patched(next: readonly string[], place: Place, { columns, rows: height }: Size): string | undefined {
    // A window that became wider may be narrower again by now: behind what a rule has, its rest would go over the next row.
    if (widest(next) > widest(this.#rows)) return undefined;
    const pen = this.#pen();
    const rows = movedRows(this.#rows, next, pen);
    if (!rows) return undefined;
    const isMoved = pen.text !== "";
    for (const y of this.#order(next.length, isMoved)) {
      const before = rows[y];
      const row = next[y] ?? "";
      if (before === undefined || before === row) continue;
      pen.to({ y });
      pen.write(rowUpdate(before, row, columns), y);
    }
    const { x, y } = this.#cursor;
    if (Math.max(this.#rows.length, next.length) - pen.top > height * PATCHED_SHARE) return undefined;
    const isKept = !isMoved && place.x === x && place.y === y && pen.text !== "";
    const kept = KEEP + pen.text + RETURN;
    pen.to(place);
    return isKept && kept.length < pen.text.length ? kept : pen.text;
  }
}

/** True for a row that takes several rows of the window, or has a picture, which is drawn over rows that were just written. */
function isUncoverable(row: string, { columns }: Size): boolean {
  return drawsPicture(row) || textWidth(row) > columns;
}

/**
 * Moves the rows at the end of a frame that gets longer or shorter: below text that streams, the prompt stays the same. The last row
 * before the empty one changes often, so it need not be the same.
 * @returns the rows that the screen then shows; undefined if too few rows would be moved.
 */
function movedRows(before: readonly string[], next: readonly string[], pen: Pen): readonly string[] | undefined {
  const added = next.length - before.length;
  if (added === 0) return before;
  let moved = 2;
  const most = Math.min(before.length, next.length);
  while (moved < most && before.at(-moved - 1) === next.at(-moved - 1)) moved += 1;
  if (moved - 2 < MIN_MOVED) return undefined;
  const at = before.length - moved;
  if (added < 0) {
    const from = at + added;
    if (from < 0) return undefined;
    pen.to({ y: from });
    pen.write(`\u001b[${-added}M`, from);
    return before.toSpliced(from, -added);
  }
  // At the bottom of the terminal the line feeds scroll; below the frame there is nothing that could be moved away.
  pen.to({ y: before.length - 1 });
  pen.write("\n".repeat(added), next.length - 1);
  pen.to({ y: at });
  pen.write(`\u001b[${added}L`, at);
  return before.toSpliced(at, 0, ...Array.from({ length: added }, () => ""));
}

function widest(rows: readonly string[]): number {
  return rows.reduce((most, row) => Math.max(most, textWidth(row)), 0);
}

/** Collects what is written, and knows the row in which the cursor is. */
class Pen {
  text = "";
  /** The highest row that the cursor was in. */
  top: number;
  #x: number | undefined;
  #y: number;

  constructor({ x, y }: Place) {
    this.#x = x;
    this.#y = y;
    this.top = y;
  }

  /** Moves the cursor; without a column it ends somewhere in the row. */
  to({ x, y }: { readonly x?: number; readonly y: number }): void {
    const rows = y - this.#y;
    if (rows < 0) this.text += `\u001b[${-rows}A`;
    if (rows > 0) {
      // A window that became lower has lost its last rows. Line feeds make them again, a move down would stop short.
      this.text += "\n".repeat(rows);
      this.#x = undefined;
    }
    this.#y = y;
    this.top = Math.min(this.top, y);
    if (x === undefined || x === this.#x) return;
    this.text += x === 0 ? "\r" : `\u001b[${x + 1}G`;
    this.#x = x;
  }

  /** Writes; the cursor then is in row `y`. */
  write(text: string, y: number): void {
    this.text += text;
    this.#y = y;
    this.#x = undefined;
  }
}
