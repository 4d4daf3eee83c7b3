import { nextBoundary, previousBoundary } from "@quoll/terminal-text/graphemes";
import { closingBracket, openingBracket } from "./motions.ts";
import { lineEnd, lineOf, lineStart, startOfLine } from "./vim-lines.ts";
import { classAt } from "./words.ts";

/** A text object: `to` is the index after its last character. */
export type TextObject = { readonly from: number; readonly to: number; readonly isLines: boolean };

const BRACKETS: Readonly<Record<string, readonly [string, string]>> = Object.fromEntries(
  ["()b", "[]", "{}B", "<>"].flatMap((names) =>
    [...names].map((name) => [name, [names[0] ?? "", names[1] ?? ""] as const]),
  ),
);

/** The object of a name such as `iw` at the cursor; undefined if there is none. */
export function textObject(text: string, at: number, name: string, count: number): TextObject | undefined {
  const isAround = name[0] === "a";
  const kind = name.slice(1);
  if (kind === "w" || kind === "W") return wordObject(text, at, { isAround, isBig: kind === "W", count });
  if (kind === "p") return paragraph(text, at, isAround, count);
  const pair = BRACKETS[kind];
  return pair ? bracketed(text, at, { pair, isAround, count }) : quoted(text, at, kind, isAround);
}

type WordWish = { readonly isAround: boolean; readonly isBig: boolean; readonly count: number };

/** A run of characters of one class; line breaks end it. */
function runEnd(text: string, at: number, isBig: boolean): number {
  const end = lineEnd(text, at);
  const kind = classAt(text, at, isBig);
  let to = at;
  while (to < end && classAt(text, to, isBig) === kind) to = nextBoundary(text, to);
  return to;
}

function runStart(text: string, at: number, isBig: boolean): number {
  const start = lineStart(text, at);
  const kind = classAt(text, at, isBig);
  let from = at;
  while (from > start && classAt(text, previousBoundary(text, from), isBig) === kind)
    from = previousBoundary(text, from);
  return from;
}

function wordObject(text: string, at: number, { isAround, isBig, count }: WordWish): TextObject | undefined {
  const end = lineEnd(text, at);
  let from = runStart(text, at, isBig);
  let to = from;
  const isOnBlank = classAt(text, at, isBig) === "blank";
  let hasBlanks = false;
  for (let left = count; left > 0; left -= 1) {
    if (to >= end && left < count) break;
    to = runEnd(text, to, isBig);
    if (!isAround) continue;
    const isBlankNext = to < end && classAt(text, to, isBig) === "blank";
    hasBlanks = isOnBlank || isBlankNext;
    if (isOnBlank ? to < end : isBlankNext) to = runEnd(text, to, isBig);
  }
  // If no blanks follow the word, the blanks before it are taken.
  if (isAround && !hasBlanks && from > lineStart(text, from)) {
    const before = previousBoundary(text, from);
    const start = classAt(text, before, isBig) === "blank" ? runStart(text, before, isBig) : from;
    // The indent of a line is kept.
    if (start > lineStart(text, from)) from = start;
  }
  return { from, to, isLines: false };
}

/**
 * The quoted part of the line that contains the cursor, or else the next quoted part. Quotes after a backslash don't
 * count.
 */
function quoted(text: string, at: number, quote: string, isAround: boolean): TextObject | undefined {
  const start = lineStart(text, at);
  const end = lineEnd(text, at);
  const places: number[] = [];
  for (let index = start; index < end; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === quote) places.push(index);
  }
  const inside = places.findIndex((open, index) => index % 2 === 0 && (places[index + 1] ?? -1) >= at && open <= at);
  const found = inside >= 0 ? inside : places.findIndex((open) => open >= at);
  const open = found < 0 ? undefined : places[found];
  const close = found < 0 ? undefined : places[found + 1];
  if (open === undefined || close === undefined) return undefined;
  if (!isAround) return { from: open + 1, to: close, isLines: false };
  const behind = text.slice(close + 1, end).match(/^[ \t]+/)?.[0].length ?? 0;
  const before = behind > 0 ? 0 : (text.slice(start, open).match(/[ \t]+$/)?.[0].length ?? 0);
  return { from: open - before, to: close + 1 + behind, isLines: false };
}

type BracketWish = { readonly pair: readonly [string, string]; readonly isAround: boolean; readonly count: number };

function bracketed(
  text: string,
  at: number,
  { pair: [open, close], isAround, count }: BracketWish,
): TextObject | undefined {
  const isOn = text[at] === open;
  // If the cursor is not inside such brackets, the next brackets in its line are used.
  let from = isOn ? at : (openingBracket(text, at, open, close) ?? nextInLine(text, at, open));
  for (let left = count - 1; left > 0 && from !== undefined; left -= 1) from = openingBracket(text, from, open, close);
  const to = from === undefined ? undefined : closingBracket(text, from + 1, open, close);
  if (from === undefined || to === undefined) return undefined;
  if (isAround) return { from, to: to + 1, isLines: false };
  // Between brackets on separate lines, the object consists of whole lines.
  const begin = text[from + 1] === "\n" ? from + 2 : from + 1;
  const isOwnLine = begin === from + 2 && /^[ \t]*$/.test(text.slice(lineStart(text, to), to));
  if (isOwnLine && lineStart(text, to) > begin) return { from: begin, to: lineStart(text, to) - 1, isLines: true };
  return { from: Math.min(begin, to), to, isLines: false };
}

function nextInLine(text: string, at: number, char: string): number | undefined {
  const found = text.slice(at, lineEnd(text, at)).indexOf(char);
  return found < 0 ? undefined : at + found;
}

/**
 * Lines up to an empty line, or empty lines; `around` also takes the following lines of the other kind, or else the
 * preceding ones.
 */
function paragraph(text: string, at: number, isAround: boolean, count: number): TextObject | undefined {
  const lines = text.split("\n").map((line) => line.trim() === "");
  let first = lineOf(text, at);
  const kind = lines[first];
  while (first > 0 && lines[first - 1] === kind) first -= 1;
  let end = first;
  let hasBoth = false;
  for (let left = count; left > 0 && end < lines.length; left -= 1) {
    end = runOf(lines, end);
    if (!isAround) continue;
    hasBoth = end < lines.length;
    end = runOf(lines, end);
  }
  if (isAround && !hasBoth) {
    if (kind === true) return undefined;
    while (first > 0 && lines[first - 1] === true) first -= 1;
  }
  return { from: startOfLine(text, first), to: lineEnd(text, startOfLine(text, end - 1)), isLines: true };
}

/** The index after the lines that are all empty, or all non-empty. */
function runOf(lines: readonly boolean[], from: number): number {
  let end = from;
  while (end < lines.length && lines[end] === lines[from]) end += 1;
  return end;
}
