import { graphemes } from "./graphemes.ts";
import { plainText, revealText } from "./plain-text.ts";
import { MAX_UNITS_PER_COLUMN, textWidth } from "./text-width.ts";

const DEFAULT_COLUMNS = 120;

/**
 * Untrusted text as one line that is safe to print, cut at `columns`: runs of blanks and line breaks become one space.
 */
export function oneLine(text: string, columns = DEFAULT_COLUMNS): string {
  return cutPlain(plainText(text).replace(/\s+/g, " ").trim(), columns);
}

/**
 * Like `oneLine`, for text that a person must judge: nothing is dropped; control characters and line breaks are shown
 * as symbols.
 */
export function revealedLine(text: string, columns: number): string {
  return cutPlain(revealText(text).replaceAll("\n", "␊"), columns);
}

/** Untrusted text as one line that is safe to print, in full: line breaks are shown as `⏎`. */
export function joinedLines(text: string): string {
  return plainText(text)
    .trim()
    .replace(/\s*\n\s*/g, " ⏎ ");
}

/** Like `truncateText`, without the library that keeps styles: the start of a session, which cuts plain text alone, does not load it. */
function cutPlain(text: string, columns: number): string {
  if (columns <= 0) return "";
  const head = text.slice(0, columns * MAX_UNITS_PER_COLUMN);
  if (head.length === text.length && textWidth(text) <= columns) return text;
  let width = 0;
  let end = 0;
  for (const grapheme of graphemes(head)) {
    width += textWidth(grapheme);
    if (width >= columns) break;
    end += grapheme.length;
  }
  return `${head.slice(0, end)}…`;
}
