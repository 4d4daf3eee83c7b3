import stringWidth from "string-width";
import { NARROW_SIGNS } from "./narrow-signs.ts";

/** Most UTF-16 units per column of a grapheme: limits the work on a 1 MB line. */
export const MAX_UNITS_PER_COLUMN = 64;

const NARROW_ONLY = new RegExp(`^[${NARROW_SIGNS}]*$`);
/** Colours and other styles (SGR), the erasing of a row's end (EL), and links (OSC 8). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
const STYLES = /\u001b(?:\[(?:[\d;:]*m|K)|\]8;[^\u0007\u0018\u001a\u001b\u0080-\u009f]*(?:\u0007|\u001b\\))/g;

/**
 * Columns that a text without line breaks takes in a terminal, counted by grapheme. ANSI sequences take none, and
 * neither do tabs: expand them first. string-width needs tables of all of Unicode, so text of narrow characters is counted without it.
 */
export function textWidth(text: string): number {
  const shown = text.includes("\u001b") ? text.replace(STYLES, "") : text;
  return NARROW_ONLY.test(shown) ? shown.length : stringWidth(text);
}
