import stringWidth from "string-width";

/** Most UTF-16 units per column of a grapheme: limits the work on a 1 MB line. */
export const MAX_UNITS_PER_COLUMN = 64;

const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * Columns that a text without line breaks takes in a terminal, counted by grapheme. ANSI sequences take none, and
 * neither do tabs: expand them first.
 */
export function textWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}
