import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";

/** A placeholder character; Unicode reserves it for uses like this. */
const MARK = "\ufdd1";
const PLACE = new RegExp(`^${MARK}(\\d+)${MARK}$`);

/**
 * The lines of the live frame, and the placeholders that represent them in Ink, as `placeOf` does for printed rows. A line that stays
 * keeps its placeholder, so Ink lays out only the lines that have changed.
 */
export class LivePlaces {
  #numbers: ReadonlyMap<string, number> = new Map();
  #lines: ReadonlyMap<number, string> = new Map();
  #last = 0;

  /** The placeholders of the next frame's lines. Earlier frames are forgotten. */
  of(lines: readonly string[]): readonly string[] {
    const numbers = new Map<string, number>();
    for (const line of lines) numbers.set(line, numbers.get(line) ?? this.#numbers.get(line) ?? ++this.#last);
    this.#numbers = numbers;
    this.#lines = new Map([...numbers].map(([line, number]) => [number, line]));
    return lines.map((line) => `${MARK}${numbers.get(line)}${MARK}`);
  }

  /** The line that a row of Ink's output represents, cut to the window, which may have become narrower. */
  lineOf(row: string, columns: number): string {
    const number = PLACE.exec(row)?.[1];
    if (number === undefined) return row;
    const line = (this.#lines.get(Number(number)) ?? "").trimEnd();
    return textWidth(line) > columns ? truncateText(line, columns) : line;
  }
}
