import sliceAnsi from "slice-ansi";
import wrapAnsi from "wrap-ansi";
import { textWidth } from "./text-width.ts";

/**
 * Breaks text into lines of at most `columns`, at spaces where there are any. Styles are closed and reopened at each
 * break. White space at a break is dropped.
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  // A style that runs over a line break is closed and reopened there, too.
  if (text.includes("\u001b") && text.includes("\n")) return wrapAnsi(text, width, { hard: true }).split("\n");
  return text.split("\n").flatMap((line) => {
    if (textWidth(line) <= width) return [line];
    return wrapAnsi(line, width, { hard: true }).split("\n");
  });
}

/** Breaks each line after exactly `columns` (less where a wide character would not fit): for code, where spaces count. */
export function hardWrapText(text: string, columns: number): readonly string[] {
  const width = Math.max(2, columns);
  return text.split("\n").flatMap((line) => {
    const total = textWidth(line);
    if (total <= width) return [line];
    return wrapAnsi(line, width, { hard: true, trim: false, wordWrap: false }).split("\n");
  });
}

/** The part of a text between two columns, whole graphemes only, styles kept. */
export function sliceText(text: string, from: number, to?: number): string {
  return sliceAnsi(text, from, to);
}
