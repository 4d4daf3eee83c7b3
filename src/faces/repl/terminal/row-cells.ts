import { NARROW_SIGNS } from "@quoll/terminal-text/narrow-signs";

/** A character of a row, with the columns that it takes and the codes that are active for it. */
export type Cell = { readonly text: string; readonly width: number; readonly style: Style };

/** Active codes by the code that ends their kind. Equal styles of a row are one object. */
export type Style = ReadonlyMap<number, string>;

export const NO_STYLE: Style = new Map();

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles and links begin with one.
const CODE = /\u001b\[([\d;]*)m|\u001b\]8;[^;\u0007\u001b]*;([^\u0007\u001b]*)(?:\u0007|\u001b\\)/g;
const NARROW = new RegExp(`[${NARROW_SIGNS}]`);
const OTHER_SIGN = new RegExp(`[^${NARROW_SIGNS}]`);
/** Characters that every terminal draws two columns wide: Chinese, Japanese, Korean. */
const WIDE =
  /[\u2e80-\u2fd5\u3001-\u3029\u3030-\u303e\u3041-\u3096\u309b-\u30ff\u3105-\u312f\u3190-\u31e3\u3220-\u3247\u3400-\u4dbf\u4e00-\ua48c\uac00-\ud7a3\uf900-\ufa6d\uff01-\uff60]/;

/** The key of links among the kinds of style. */
const LINK = 8;
const LINK_END = "\u001b]8;;\u001b\\";

/** The code that ends each kind of style. */
const ENDS: readonly (readonly [end: number, begins: (code: number) => boolean])[] = [
  [22, (code) => code === 1 || code === 2],
  [23, (code) => code === 3],
  [24, (code) => code === 4],
  [27, (code) => code === 7],
  [29, (code) => code === 9],
  [39, (code) => (code >= 30 && code <= 38) || (code >= 90 && code <= 97)],
  [49, (code) => (code >= 40 && code <= 48) || (code >= 100 && code <= 107)],
];

/**
 * The characters of a row. @returns undefined if it has codes other than styles and links, several styles in one code, or
 * characters whose width terminals disagree about, like emoji and marks that combine.
 */
export function cellsOf(row: string): readonly Cell[] | undefined {
  const cells: Cell[] = [];
  const known = new Map<string, Style>([["", NO_STYLE]]);
  let style = NO_STYLE;
  let from = 0;
  const take = (text: string) => {
    const isNarrow = !OTHER_SIGN.test(text);
    for (const sign of text) {
      if (isNarrow || NARROW.test(sign)) cells.push({ text: sign, width: 1, style });
      else if (WIDE.test(sign)) cells.push({ text: sign, width: 2, style });
      else return false;
    }
    return true;
  };
  for (const { 0: code, 1: numbers, 2: link, index } of row.matchAll(CODE)) {
    if (!take(row.slice(from, index))) return undefined;
    from = index + code.length;
    const next = numbers === undefined ? linked(style, code, link ?? "") : styled(style, code, numbers);
    if (!next) return undefined;
    const key = [...next].join();
    style = known.get(key) ?? next;
    known.set(key, style);
  }
  return take(row.slice(from)) ? cells : undefined;
}

function linked(style: Style, code: string, link: string): Style {
  const next = new Map(style);
  next.delete(LINK);
  return link === "" ? next : next.set(LINK, code);
}

function styled(style: Style, code: string, numbers: string): Style | undefined {
  const first = Number.parseInt(numbers, 10);
  const kind = ENDS.find(([end, begins]) => end === first || begins(first));
  // Several in one code, unless they are the numbers of a colour.
  if (!kind || (numbers.includes(";") && first !== 38 && first !== 48)) return undefined;
  const [end] = kind;
  const next = new Map(style);
  const before = next.get(end) ?? "";
  next.delete(end);
  // Bold and dim hold at the same time, and end together.
  if (end !== first) next.set(end, end !== 22 ? code : before.includes(code) ? before : before + code);
  return next;
}

/** True if two characters look the same. */
export function isSameCell(a: Cell | undefined, b: Cell | undefined): boolean {
  return a !== undefined && b !== undefined && a.text === b.text && isSameStyle(a.style, b.style);
}

function isSameStyle(a: Style, b: Style): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [end, code] of a) if (b.get(end) !== code) return false;
  return true;
}

/** The codes that turn the styles of one character into those of the next. */
export function restyled(from: Style, to: Style): string {
  if (from === to) return "";
  let codes = "";
  for (const [end, code] of from)
    if (to.get(end) !== code) codes += end === LINK ? LINK_END : isAdded(code, to.get(end)) ? "" : `\u001b[${end}m`;
  for (const [end, code] of to) {
    const before = from.get(end);
    if (before !== code) codes += before !== undefined && isAdded(before, code) ? code.slice(before.length) : code;
  }
  return codes;
}

/** True if a style only adds a code: bold text that gets dim too. */
function isAdded(before: string, after: string | undefined): boolean {
  return after?.startsWith(before) === true;
}
