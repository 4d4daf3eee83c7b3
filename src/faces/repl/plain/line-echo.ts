import { graphemes } from "@quoll/terminal-text/graphemes";
import { textWidth } from "@quoll/terminal-text/text-width";

/** A line with its prompt, as it is on the screen. `cursor`: an index of `text`, on the boundary of a grapheme. */
export type TypedLine = { readonly prompt: string; readonly text: string; readonly cursor: number };

type Place = { readonly row: number; readonly column: number };

/**
 * The characters that turn the line on the screen into another one with the same prompt: printed text, blanks and
 * backspaces, as a line editor of a simple terminal writes them. Only a cursor that goes back into an earlier row of a
 * wrapped line needs a control sequence.
 */
export function echoChange(before: TypedLine, after: TypedLine, columns: number): string {
  const same = commonStart(before.text, after.text);
  const place = (line: TypedLine, index: number) => placeOf(line.prompt + line.text.slice(0, index), columns);
  if (before.text === after.text) return moved(after, before.cursor, after.cursor, columns);
  const rest = after.text.slice(same);
  const [oldEnd, newEnd] = [place(before, before.text.length), place(after, after.text.length)];
  const blanks = Math.max(0, (oldEnd.row - newEnd.row) * columns + oldEnd.column - newEnd.column);
  const end = blanks > 0 ? oldEnd : newEnd;
  return [
    moved(before, before.cursor, same, columns),
    rest + " ".repeat(blanks),
    end.column === 0 && rest + " ".repeat(blanks) !== "" ? intoNextRow : "",
    backwards(end, newEnd),
    moved(after, after.text.length, after.cursor, columns),
  ].join("");
}

/** After the last column of a row, a terminal keeps the cursor there until something follows. */
const intoNextRow = " \b";

/** A step forward prints the text that it passes. */
function moved({ prompt, text }: TypedLine, from: number, to: number, columns: number): string {
  const place = (index: number) => placeOf(prompt + text.slice(0, index), columns);
  if (to <= from) return backwards(place(from), place(to));
  if (place(to).column > 0) return text.slice(from, to);
  const [next = " "] = graphemes(text.slice(to));
  return text.slice(from, to) + next + "\b".repeat(textWidth(next));
}

function backwards(from: Place, to: Place): string {
  const rows = from.row - to.row;
  if (rows <= 0) return "\b".repeat(Math.max(0, from.column - to.column));
  const columns = to.column - from.column;
  return `\u001b[${rows}A${columns < 0 ? "\b".repeat(-columns) : columns > 0 ? `\u001b[${columns}C` : ""}`;
}

/** The cell after a text that begins in the first column; the end of a full row is the beginning of the next. */
export function placeOf(text: string, columns: number): Place {
  let row = 0;
  let column = 0;
  for (const grapheme of graphemes(text)) {
    const width = textWidth(grapheme);
    // A wide character that does not fit goes into the next row.
    if (column + width > columns) [row, column] = [row + 1, 0];
    column += width;
    if (column === columns) [row, column] = [row + 1, 0];
  }
  return { row, column };
}

/** The length of the graphemes with which both texts begin. */
function commonStart(a: string, b: string): number {
  const [ours, theirs] = [graphemes(a), graphemes(b)];
  let length = 0;
  for (const [at, grapheme] of ours.entries()) {
    if (theirs[at] !== grapheme) break;
    length += grapheme.length;
  }
  return length;
}
