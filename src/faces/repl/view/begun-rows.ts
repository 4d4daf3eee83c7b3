import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import sliceAnsi from "slice-ansi";
import { MARK_COLUMNS } from "./layout.ts";

/** The printed rows of a text that is not complete. */
export type BegunRows = readonly string[];

/**
 * The rows of a text that follow its printed ones. In a window of another width, the rest of a row may come first.
 * @returns undefined if the text does not begin with the printed rows.
 */
export function rowsBehind(rows: readonly string[], begun: BegunRows): readonly string[] | undefined {
  if (begun.every((row, at) => row === rows[at])) return rows.slice(begun.length);
  let left = begun.map(signsOf).join("");
  for (const [at, row] of rows.entries()) {
    if (left === "") return rows.slice(at);
    const signs = signsOf(row);
    if (left.startsWith(signs)) left = left.slice(signs.length);
    else if (signs.startsWith(left)) return [" ".repeat(MARK_COLUMNS) + behindSigns(row, left), ...rows.slice(at + 1)];
    else return undefined;
  }
  return left === "" ? [] : undefined;
}

/** As `rowsBehind`, but all rows of a text that begins otherwise: a row that is printed twice is better than a lost one. */
export function withoutBegun(rows: readonly string[], begun: BegunRows): readonly string[] {
  return rowsBehind(rows, begun) ?? rows;
}

/** The whole words in the first columns of a row; all of it if it is no wider. */
export function wordsWithin(row: string, columns: number): string {
  if (textWidth(row) <= columns) return row;
  const part = sliceAnsi(row, 0, columns);
  const text = stripAnsi(part);
  const end = text.trimEnd().lastIndexOf(" ");
  return text.slice(0, end).trim() === "" ? part : sliceAnsi(row, 0, textWidth(text.slice(0, end)));
}

/** Characters that are no part of the text: blanks, the bars of quotes, and rules. */
const LAYOUT = /[\s│─]/;

/** The characters of a row without colours and layout: they stay the same in a window of another width. */
function signsOf(row: string): string {
  return stripAnsi(row).replace(new RegExp(LAYOUT, "g"), "");
}

/** The rest of a row behind its first signs. */
function behindSigns(row: string, signs: string): string {
  const text = stripAnsi(row);
  let end = 0;
  for (let left = signs.length; left > 0; end += 1) if (!LAYOUT.test(text.charAt(end))) left -= 1;
  while (text.charAt(end) === " ") end += 1;
  return sliceAnsi(row, textWidth(text.slice(0, end)));
}
