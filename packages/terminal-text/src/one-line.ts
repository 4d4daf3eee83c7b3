import { plainText, revealText } from "./plain-text.ts";
import { truncateText } from "./truncate-text.ts";

const DEFAULT_COLUMNS = 120;

/**
 * Untrusted text as one line that is safe to print, cut at `columns`: runs of blanks and line breaks become one space.
 */
export function oneLine(text: string, columns = DEFAULT_COLUMNS): string {
  return truncateText(plainText(text).replace(/\s+/g, " ").trim(), columns);
}

/**
 * Like `oneLine`, for text that a person must judge: nothing is dropped; control characters and line breaks are shown
 * as symbols.
 */
export function revealedLine(text: string, columns: number): string {
  return truncateText(revealText(text).replaceAll("\n", "␊"), columns);
}

/** Untrusted text as one line that is safe to print, in full: line breaks are shown as `⏎`. */
export function joinedLines(text: string): string {
  return plainText(text)
    .trim()
    .replace(/\s*\n\s*/g, " ⏎ ");
}
