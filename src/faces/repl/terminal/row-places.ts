import type { PrintedRow } from "../repl-screen-state.ts";

/** A character that stands for none; Unicode keeps it for uses like this. */
const MARK = "\ufdd0";
const PLACE = new RegExp(`${MARK}(\\d+)${MARK}`, "g");

/**
 * The line that stands for a printed row in Ink. Ink lays text out character by character, with an object for each; a printed row
 * is laid out already and never changes, so it is put into Ink's output (`withRows`).
 */
export function placeOf({ key }: PrintedRow): string {
  return `${MARK}${key}${MARK}`;
}

/** True for a line that stands for a printed row. */
export function isPlace(line: string): boolean {
  return line.startsWith(MARK);
}

/** Puts the printed rows into their places. @param textOf The text of a row by its key. */
export function withRows(output: string, textOf: (key: number) => string): string {
  return output.includes(MARK) ? output.replaceAll(PLACE, (_, key: string) => textOf(Number(key))) : output;
}

/** A line of the frame, in which nothing may stand for a row. */
export function withoutPlaces(line: string): string {
  return line.replaceAll(MARK, "");
}
