import { textWidth } from "@quoll/terminal-text/text-width";
import { placeOf } from "./line-echo.ts";
import { looksLikeRole } from "./spoken-text.ts";

/** The blanks before a word, and the word. */
type Part = { readonly blanks: number; readonly word: string };

type Screen = { readonly editsLines?: boolean; readonly stdout: { readonly columns?: number } };

/** The text of lines for a plain screen. A dumb terminal gets them as they are: its readers know lines, not rows. */
export function printedLines(lines: readonly string[], { editsLines = false, stdout: { columns } }: Screen): string {
  const printed = editsLines && columns ? lines.map((line) => wholeWords(line, columns)) : lines;
  return `${printed.join("\n")}\n`;
}

/**
 * A line in which blanks fill the row before a word that does not fit into it, because readers of a screen read rows and
 * would say halves of the word. The line stays one line for the terminal. A word that is wider than the window is broken.
 */
export function wholeWords(line: string, columns: number): string {
  if (textWidth(line) <= columns) return line;
  let filled = "";
  let column = 0;
  for (const { blanks, word } of partsOf(line)) {
    const width = textWidth(word);
    const start = (column + blanks) % columns;
    const isBroken = width <= columns && start + width > columns;
    const text = " ".repeat(blanks + (isBroken ? columns - start : 0)) + word;
    filled += text;
    ({ column } = placeOf(" ".repeat(column) + text, columns));
  }
  return filled;
}

/** No row begins with a word that looks like the role of an event: the word stays with the one before it. */
function partsOf(line: string): readonly Part[] {
  const parts: Part[] = [];
  for (const { 0: part, index } of line.matchAll(/ *[^ ]+| +$/g)) {
    const last = parts.at(-1);
    const word = part.trimStart();
    if (last && looksLikeRole(line.slice(index))) parts[parts.length - 1] = { ...last, word: last.word + part };
    else parts.push({ blanks: part.length - word.length, word });
  }
  return parts;
}
