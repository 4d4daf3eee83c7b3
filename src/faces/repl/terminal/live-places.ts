import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";

/** The placeholders: characters for private use, one column wide. A frame has far fewer lines. */
const FIRST = 0xe000;
const COUNT = 6_400;

/**
 * The lines of the live frame, and the characters that represent them in Ink, as `placeOf` represents printed rows. A line that stays
 * keeps its placeholder, so Ink writes only if a line has changed.
 */
export class LivePlaces {
  #places: ReadonlyMap<string, string> = new Map();
  #lines: ReadonlyMap<string, string> = new Map();
  #last = 0;

  /** The placeholders of the next frame's lines. Earlier frames are forgotten. */
  of(lines: readonly string[]): readonly string[] {
    const places = new Map<string, string>();
    for (const line of lines) places.set(line, places.get(line) ?? this.#places.get(line) ?? this.#next());
    this.#places = places;
    this.#lines = new Map([...places].map(([line, place]) => [place, line]));
    return lines.map((line) => places.get(line) ?? "");
  }

  /** The line that a row of Ink's output represents, cut to the window, which may have become narrower. */
  lineOf(row: string, columns: number): string {
    const line = this.#lines.get(row)?.trimEnd();
    if (line === undefined) return isPlace(row) ? "" : row;
    return textWidth(line) > columns ? truncateText(line, columns) : line;
  }

  /** A placeholder that stood for no line lately: they are used in turn. */
  #next(): string {
    do this.#last = (this.#last + 1) % COUNT;
    while (this.#lines.has(placeAt(this.#last)));
    return placeAt(this.#last);
  }
}

function placeAt(number: number): string {
  return String.fromCharCode(FIRST + number);
}

function isPlace(row: string): boolean {
  const code = row.charCodeAt(0) - FIRST;
  return row.length === 1 && code >= 0 && code < COUNT;
}
