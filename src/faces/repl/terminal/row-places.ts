/** A placeholder character; Unicode reserves it for uses like this. */
const MARK = "\ufdd0";
const PLACE = new RegExp(`${MARK}(\\d+)${MARK}`, "g");

/**
 * The line that represents a printed row in Ink. Ink lays out text character by character, with an object for each; a
 * printed row is already laid out and never changes, so it is inserted into Ink's output (`withRows`).
 */
export function placeOf({ key }: { readonly key: number }): string {
  return `${MARK}${key}${MARK}`;
}

/** True for a line that stands for a printed row. */
export function isPlace(line: string): boolean {
  return line.startsWith(MARK);
}

/** Replaces the placeholders with the printed rows. @param textOf The text of a row by its key. */
export function withRows(output: string, textOf: (key: number) => string): string {
  return output.includes(MARK) ? output.replaceAll(PLACE, (_, key: string) => textOf(Number(key))) : output;
}
