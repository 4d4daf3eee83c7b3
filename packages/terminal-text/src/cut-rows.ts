import { graphemes } from "./graphemes.ts";
import { textWidth } from "./text-width.ts";
import { closeOf } from "./wrap-text.ts";

/** Styles (SGR); a drawn line of code has no other sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const STYLE = /\u001b\[([\d;]*)m/g;
/** A row ends after its last blank if that leaves less than this share of the row empty. */
const MAX_EMPTY_SHARE = 1 / 3;

/**
 * Cuts a styled line of code into rows of at most `columns`, where possible after a blank. No character is dropped, and
 * each row ends the styles that it opened.
 * @param columns At least 2, the width of the widest character.
 * @param maxRows If the line needs more rows, the last of them ends with an ellipsis.
 */
export function cutRows(line: string, columns: number, maxRows = Number.POSITIVE_INFINITY): readonly string[] {
  if (textWidth(line) <= columns) return [line];
  const text = line.replace(STYLE, "");
  const ends = rowEnds(text, columns, maxRows);
  const isCut = (ends.at(-1) ?? 0) < text.length;
  return splitStyled(line, ends).map((row, at) => (isCut && at === ends.length - 1 ? `${row}…` : row));
}

/** The ends of the rows, in UTF-16 units. */
function rowEnds(text: string, columns: number, maxRows: number): readonly number[] {
  const ends: number[] = [];
  let start = 0;
  let at = 0;
  let width = 0;
  for (const grapheme of graphemes(text)) {
    const own = textWidth(grapheme);
    if (width + own > columns && at > start) {
      if (ends.length === maxRows - 1) return [...ends, endBefore(text, start, columns - 1)];
      start = rowEnd(text, start, at);
      ends.push(start);
      width = textWidth(text.slice(start, at));
    }
    width += own;
    at += grapheme.length;
  }
  return [...ends, text.length];
}

function rowEnd(text: string, start: number, end: number): number {
  const row = text.slice(start, end);
  const blank = row.lastIndexOf(" ");
  const isNear = row.length - blank - 1 < row.length * MAX_EMPTY_SHARE;
  return isNear && row.slice(0, blank).trim() !== "" ? start + blank + 1 : end;
}

/** The end of the characters from `start` on that fit. */
function endBefore(text: string, start: number, columns: number): number {
  let at = start;
  let width = 0;
  for (const grapheme of graphemes(text.slice(start))) {
    width += textWidth(grapheme);
    if (width > columns) break;
    at += grapheme.length;
  }
  return at;
}

/** Splits a styled line; `ends` count its text without styles. */
function splitStyled(line: string, ends: readonly number[]): readonly string[] {
  const rows: string[] = [];
  const open = new Map<string, string>();
  const total = ends.at(-1) ?? 0;
  let row = "";
  let at = 0;
  const add = (text: string) => {
    let rest = text;
    for (let end = ends[rows.length]; end !== undefined && at + rest.length >= end; end = ends[rows.length]) {
      const whole = row + rest.slice(0, end - at);
      // A background or an underline does not reach into the blank at which the row ends.
      const inked = end < total ? whole.trimEnd() : whole;
      rows.push(inked + [...open.keys()].map((code) => `\u001b[${code}m`).join("") + whole.slice(inked.length));
      row = [...open.values()].join("");
      rest = rest.slice(end - at);
      at = end;
    }
    row += rest;
    at += rest.length;
  };
  let from = 0;
  for (const { 0: style, 1: codes = "", index } of line.matchAll(STYLE)) {
    add(line.slice(from, index));
    from = index + style.length;
    const close = closeOf(codes);
    row += style;
    if (close === codes) open.delete(close);
    else open.set(close, style);
  }
  add(line.slice(from));
  return rows;
}
