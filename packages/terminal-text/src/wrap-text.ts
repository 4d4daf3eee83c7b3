import sliceAnsi from "slice-ansi";
import wrapAnsi from "wrap-ansi";
import { textWidth } from "./text-width.ts";

/**
 * Breaks text into lines of at most `columns`, at spaces where there are any. Styles are closed and reopened at each
 * break. White space at a break is dropped. A URL moves to its own line before it is cut.
 * @param most The maximum width of a URL's line, if the text is narrower than the window.
 */
export function wrapText(text: string, columns: number, most = columns): readonly string[] {
  const width = Math.max(1, columns);
  const greatest = Math.max(width, most);
  return styledLines(text).flatMap((line) => {
    if (textWidth(line) <= width) return [line];
    if (!line.includes("://")) return wrapped(line, width, WORDS);
    const rows = wrapAnsi(line, width, { hard: false }).split("\n");
    return rows.flatMap((row) => (textWidth(row) <= greatest ? [row] : wrapped(row, greatest, WORDS)));
  });
}

/** Breaks each line after exactly `columns` (less where a wide character would not fit): for code, where spaces count. */
export function hardWrapText(text: string, columns: number): readonly string[] {
  const width = Math.max(2, columns);
  return text.split("\n").flatMap((line) => {
    const total = textWidth(line);
    if (total <= width) return [line];
    return wrapped(line, width, CELLS);
  });
}

const WORDS = { hard: true } as const;
const CELLS = { hard: true, trim: false, wordWrap: false } as const;

/**
 * Rows of at most `columns` as `textWidth` counts them. `wrap-ansi` has a measure of its own, which counts marks of Thai and
 * some other scripts differently: a row that is still too wide is broken again. A single grapheme is never broken.
 */
function wrapped(
  line: string,
  columns: number,
  options: typeof WORDS | typeof CELLS,
  narrower = columns,
): readonly string[] {
  const rows = wrapAnsi(line, narrower, options).split("\n");
  return rows.flatMap((row) =>
    textWidth(row) > columns && narrower > 1 ? wrapped(row, columns, options, narrower - 1) : [row],
  );
}

/** Makes each line independent: a style across a line break is closed and reopened there. */
function styledLines(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.length === 1 || !text.includes("\u001b")) return lines;
  const open = new Map<string, string>();
  return lines.map((line) => {
    const before = [...open.values()].join("");
    for (const [sequence, codes = ""] of line.matchAll(SGR)) {
      const close = closeOf(codes);
      if (close === "all") open.clear();
      else if (close === codes) open.delete(close);
      else open.set(close, sequence);
    }
    return before + line + [...open.keys()].map((code) => `\u001b[${code}m`).join("");
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: style sequences begin with one.
const SGR = /\u001b\[([\d;]*)m/g;

/** The code that ends a style (ECMA-48 SGR); the codes themselves if they end one. */
export function closeOf(codes: string): string {
  const code = Number(codes.split(";")[0]);
  if (code === 0) return "all";
  if (code === 1 || code === 2) return "22";
  if (code >= 3 && code <= 9) return String(code + 20);
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return "39";
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return "49";
  return codes;
}

/** The part of a text between two columns, whole graphemes only, styles kept. */
export function sliceText(text: string, from: number, to?: number): string {
  return sliceAnsi(text, from, to);
}
