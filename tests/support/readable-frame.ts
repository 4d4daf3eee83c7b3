import { textWidth } from "@quoll/terminal-text/text-width";

/** The lines of one frame, drawn in two themes. */
export type ThemedLines = { readonly dark: readonly string[]; readonly light: readonly string[] };

/** One grapheme with its columns and the words for its look in both themes; no words for plain text. */
type Cell = { readonly text: string; readonly columns: number; readonly look: string };

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles and links begin with one.
const CODE = /\u001b\[([\d;]*)m|\u001b\[(K)|\u001b\]8;([^;\u0007\u001b]*);([^\u0007\u001b]*)(?:\u0007|\u001b\\)/g;
/** Stands for the rest of a row whose background reaches the edge of the window. */
const EDGE = "░";
/** What a code begins, and the code that ends it. */
const WORDS: Readonly<Record<number, readonly [word: string, end: number]>> = {
  ...{
    1: ["bold", 22],
    2: ["dim", 22],
    3: ["italic", 23],
    4: ["underline", 24],
    7: ["inverse", 27],
    9: ["struck", 29],
  },
};

/**
 * Writes frames as text in which colours can be read: each row of the screen after `│`, and below a row with styles, after `┊`, a
 * letter for each styled column. A background that reaches the edge of the window ends in `░`. `legend` says what the letters of all rows mean in each theme.
 */
export class ReadableFrames {
  readonly #letters = new Map<string, string>();

  /** @throws {Error} the themes differ in more than colours. */
  rows({ dark, light }: ThemedLines): readonly string[] {
    if (dark.length !== light.length) throw new Error("The themes differ in their number of lines.");
    return dark.flatMap((line, at) => this.#row(line, light[at] ?? ""));
  }

  get legend(): readonly string[] {
    return [...this.#letters].map(([look, letter]) => `${letter}  ${look}`);
  }

  #row(dark: string, light: string): readonly string[] {
    const cells = cellsOf(dark);
    const others = cellsOf(light);
    const text = cells.map((cell) => cell.text).join("");
    if (text !== others.map((cell) => cell.text).join("")) throw new Error(`The themes differ in their text: ${text}`);
    const marks = cells
      .map(({ look, columns }, at) => this.#letter(look, others[at]?.look ?? "").repeat(columns))
      .join("");
    const row = `│${text}${text.endsWith(" ") ? "│" : ""}`;
    return marks.trim() === "" ? [row] : [row, `┊${marks.trimEnd()}`];
  }

  #letter(dark: string, light: string): string {
    if (dark === "" && light === "") return " ";
    const look = dark === light ? dark : `dark ${dark || "plain"} · light ${light || "plain"}`;
    const letter = this.#letters.get(look) ?? LETTERS[this.#letters.size];
    if (letter === undefined) throw new Error("There are more looks than letters.");
    this.#letters.set(look, letter);
    return letter;
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function cellsOf(line: string): readonly Cell[] {
  const cells: Cell[] = [];
  const active = new Map<number, readonly string[]>();
  let from = 0;
  const take = (end: number) => {
    const look = [...active]
      .sort(([a], [b]) => b - a)
      .flatMap(([, words]) => words)
      .join(" ");
    for (const { segment } of graphemes.segment(line.slice(from, end)))
      cells.push({ text: shown(segment), columns: textWidth(segment), look });
  };
  let edge: Cell | undefined;
  for (const { 0: code, 1: numbers, 2: erases, 3: parts, 4: address, index } of line.matchAll(CODE)) {
    take(index);
    from = index + code.length;
    if (erases) edge = { text: EDGE, columns: 1, look: [...active.values()].flat().join(" ") };
    else if (numbers === undefined) setLook(active, 8, address === "" ? [] : [`link ${parts} ${address}`]);
    else applyCodes(active, numbers.split(";").map(Number));
  }
  take(line.length);
  return edge ? [...cells, edge] : cells;
}

/** A control character would drive the terminal of who reads the file. */
function shown(segment: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is replaced.
  return segment.replace(/[\u0000-\u001f\u007f-\u009f]/g, (sign) => `‹${sign.charCodeAt(0).toString(16)}›`);
}

function setLook(active: Map<number, readonly string[]>, kind: number, words: readonly string[]): void {
  active.delete(kind);
  if (words.length > 0) active.set(kind, words);
}

function applyCodes(active: Map<number, readonly string[]>, codes: readonly number[]): void {
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    const known = WORDS[code];
    if (code === 0) active.clear();
    else if (known) setLook(active, known[1], [...new Set([...(active.get(known[1]) ?? []), known[0]])]);
    else if (code === 38 || code === 48) {
      const isTrue = codes[at + 1] === 2;
      const color = isTrue
        ? `#${codes
            .slice(at + 2, at + 5)
            .map((part) => part.toString(16).padStart(2, "0"))
            .join("")}`
        : `color ${codes[at + 2]}`;
      setLook(active, code + 1, [`${code === 38 ? "fg" : "bg"} ${color}`]);
      at += isTrue ? 4 : 2;
    } else if ((code >= 22 && code <= 29) || code === 39 || code === 49) active.delete(code);
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) setLook(active, 39, [`fg ${code}`]);
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) setLook(active, 49, [`bg ${code}`]);
    else throw new Error(`There is no word for the code ${code}.`);
  }
}
