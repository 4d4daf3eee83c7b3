import { graphemes, nextBoundary, previousBoundary } from "@quoll/terminal-text/graphemes";
import { textWidth } from "@quoll/terminal-text/text-width";

/** The index of the first character of the line at `at`. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** The index after the last character of the line at `at`. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** The number of the line at `at`; 0 is the first. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length - 1;
}

export function lineCount(text: string): number {
  return text.split("\n").length;
}

/** The index at which a line begins; a number beyond the last line means the last line. */
export function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let left = line; left > 0; left -= 1) {
    const end = text.indexOf("\n", at);
    if (end < 0) break;
    at = end + 1;
  }
  return at;
}

/** The first non-blank character of the line; its last character if all are blank. */
export function firstNonBlank(text: string, at: number): number {
  const start = lineStart(text, at);
  const end = lineEnd(text, at);
  const found = text.slice(start, end).search(/[^ \t]/);
  return found < 0 ? onCharacter(text, end) : start + found;
}

/** The nearest index of a character: in normal mode the cursor is never after the end of a line. */
export function onCharacter(text: string, at: number): number {
  const isBehind = at >= text.length || text[at] === "\n";
  return isBehind && at > lineStart(text, at) ? previousBoundary(text, at) : at;
}

/** The width of the text before `at` in its line, in cells. */
export function columnOf(text: string, at: number): number {
  return textWidth(text.slice(lineStart(text, at), at));
}

/** The character of the line at `start` that covers a column. */
export function atColumn(text: string, start: number, column: number): number {
  const end = lineEnd(text, start);
  if (column === Number.POSITIVE_INFINITY) return onCharacter(text, end);
  let at = start;
  let width = 0;
  for (const one of graphemes(text.slice(start, end))) {
    width += textWidth(one);
    if (width > column) return at;
    at += one.length;
  }
  return onCharacter(text, end);
}

/** True if only blanks precede `at` in its line. */
export function isInIndent(text: string, at: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, at), at));
}

/** The index a number of graphemes forward, at most the end of the line. */
export function forwardInLine(text: string, from: number, count: number): number {
  const end = lineEnd(text, from);
  let at = from;
  for (let left = count; left > 0 && at < end; left -= 1) at = nextBoundary(text, at);
  return at;
}

/** The index a number of graphemes back, at least the start of the line. */
export function backInLine(text: string, from: number, count: number): number {
  const start = lineStart(text, from);
  let at = from;
  for (let left = count; left > 0 && at > start; left -= 1) at = previousBoundary(text, at);
  return at;
}
