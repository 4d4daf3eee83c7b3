import { NARROW_SIGNS } from "./narrow-signs.ts";

const NARROW_ONLY = new RegExp(`^[${NARROW_SIGNS}]*$`);
/** A word with the blanks before it. A command to copy is one word: options with their quoted values, and code. */
const WORD = / *(?:--[a-z-]+(?: (?:--[a-z-]+|'[^']*'))*|`[^`]*`|"quoll [^"]*"|[^ ])+/g;

/**
 * Breaks a line of a message at blanks, for rows of at most `columns`. A word that is wider stays whole, for the terminal
 * to break: a copied command then has no line end inside. Text of other than narrow characters is not broken.
 */
export function wordRows(line: string, columns: number): readonly string[] {
  if (line.length <= columns || !NARROW_ONLY.test(line)) return [line];
  const rows: string[] = [];
  let row = "";
  for (const word of line.match(WORD) ?? []) {
    if (row !== "" && row.length + word.length > columns) {
      rows.push(row);
      row = word.trimStart();
    } else row += word;
  }
  return [...rows, row];
}
