import { textWidth } from "@quoll/terminal-text/text-width";
import { type Cell, cellsOf, isSameCell, NO_STYLE, restyled } from "./row-cells.ts";

const ERASE_END = "\u001b[K";
/** Jumping over fewer unchanged characters takes as many bytes as writing them. */
const MIN_GAP = 6;
/** By how many columns the rest of a row may have moved: a counter gets another digit or two. */
const MAX_MOVED = 3;
/** Moving less than this takes as many bytes as writing it. */
const MIN_MOVED = 16;
const LONG_BLANK = / {6}/;

/** The sequence that turns a row on the screen into the next one, with the cursor anywhere in this row. It ends without styles. */
export function rowUpdate(previous: string, next: string, columns: number): string {
  const whole = `\r${previous === "" ? "" : ERASE_END}${next}`;
  if (previous === "") return withoutBlanks(next, whole);
  const before = cellsOf(previous);
  const after = cellsOf(next);
  if (!before || !after || widthOf(before) > columns || widthOf(after) > columns) return whole;
  const changes = changedCells(before, after);
  return changes.length < whole.length ? changes : whole;
}

/** What a row has behind its first columns; the whole row if its characters can't be counted. */
export function rowBehind(row: string, columns: number): string {
  const cells = cellsOf(row);
  if (!cells) return columns < textWidth(row) ? row : "";
  let from = 0;
  for (let width = 0; from < cells.length && width < columns; from += 1) width += cells[from]?.width ?? 0;
  return painted(cells.slice(from));
}

/** Moves over long blanks of a row that is empty on the screen, instead of writing them. */
function withoutBlanks(next: string, whole: string): string {
  const cells = LONG_BLANK.test(next) ? cellsOf(next) : undefined;
  if (!cells) return whole;
  let written = "";
  for (let at = 0; at < cells.length; ) {
    at += blanksAt(cells, at);
    const from = at;
    do at += 1;
    while (at < cells.length && blanksAt(cells, at) === 0);
    written += toColumn(widthOf(cells.slice(0, from))) + painted(cells.slice(from, at));
  }
  return written;
}

/** The number of blanks from a cell on; 0 if they are few, or if nothing follows them. */
function blanksAt(cells: readonly Cell[], from: number): number {
  let end = from;
  while (cells[end]?.text === " " && cells[end]?.style === NO_STYLE) end += 1;
  return end - from >= MIN_GAP && end < cells.length ? end - from : 0;
}

function changedCells(before: readonly Cell[], after: readonly Cell[]): string {
  let from = 0;
  while (from < after.length && isSameCell(before[from], after[from])) from += 1;
  const column = widthOf(after.slice(0, from));
  const shorter = widthOf(before.slice(from)) - widthOf(after.slice(from));
  if (shorter !== 0) return toColumn(column) + painted(after.slice(from)) + (shorter > 0 ? ERASE_END : "");
  let same = 0;
  while (from + same < after.length && isSameCell(before.at(-1 - same), after.at(-1 - same))) same += 1;
  const old = before.slice(from, before.length - same);
  const part = after.slice(from, after.length - same);
  return movedRest(old, part, column) ?? changedRuns(old, part, column);
}

/**
 * Moves the characters behind a longer counter to the right, instead of writing it again: blanks before the next part of the row make room.
 * @returns undefined if the characters did not move like that.
 */
function movedRest(before: readonly Cell[], after: readonly Cell[], column: number): string | undefined {
  for (let by = 1; by <= MAX_MOVED; by += 1) {
    const kept = before.slice(0, -by);
    let moved = 0;
    while (moved < kept.length && isSameCell(kept.at(-1 - moved), after.at(-1 - moved))) moved += 1;
    const isRoom = before.slice(-by).every(({ text, style }) => text === " " && style === NO_STYLE);
    if (moved < MIN_MOVED || !isRoom || kept.some(({ width }) => width !== 1)) continue;
    const room = `${toColumn(column + kept.length)}\u001b[${by}P`;
    const place = toColumn(column + kept.length - moved);
    return `${room}${place}\u001b[${by}@${toColumn(column)}${painted(after.slice(0, after.length - moved))}`;
  }
  return undefined;
}

/** Writes the characters that differ; both parts are equally wide. */
function changedRuns(before: readonly Cell[], after: readonly Cell[], column: number): string {
  const isAligned = before.length === after.length && after.every(({ width }, at) => before[at]?.width === width);
  if (!isAligned) return toColumn(column) + painted(after);
  let written = "";
  for (let at = 0; at < after.length; ) {
    let end = at + 1;
    for (let gap = 0; end + gap < after.length && gap < MIN_GAP; ) {
      if (isSameCell(before[end + gap], after[end + gap])) gap += 1;
      else {
        end += gap + 1;
        gap = 0;
      }
    }
    written += toColumn(column + widthOf(after.slice(0, at))) + painted(after.slice(at, end));
    at = end;
    while (at < after.length && isSameCell(before[at], after[at])) at += 1;
  }
  return written;
}

function toColumn(column: number): string {
  return column === 0 ? "\r" : `\u001b[${column + 1}G`;
}

/** Characters with their styles; afterwards no style is active. */
function painted(cells: readonly Cell[]): string {
  let style = NO_STYLE;
  let text = "";
  for (const cell of cells) {
    text += restyled(style, cell.style) + cell.text;
    style = cell.style;
  }
  return text + restyled(style, NO_STYLE);
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}
