import { toLf } from "./line-ends.ts";

/** Typographic characters that models replace by others, one for one. */
const LOOKALIKES: readonly (readonly [plain: string, others: string])[] = [
  ["'", "\u2018\u2019\u201a\u201b\u2032"],
  ['"', "\u201c\u201d\u201e\u201f\u2033"],
  ["-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"],
  [" ", "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000"],
];
const PLAIN = new Map(LOOKALIKES.flatMap(([plain, others]) => [...others].map((other) => [other, plain])));
const ANY_LOOKALIKE = new RegExp(`[${[...PLAIN.keys()].join("")}]`, "g");

type ViewOptions = {
  /** Skips spaces and tabs before a line end and at the end. */
  readonly trailing: boolean;
};

/** A text with only `\n` as line end and plain punctuation, with a map to the original offsets. */
type TextView = {
  readonly text: string;
  /** The offset in the raw text of the character at `index` of the view; the raw length for the view's length. */
  readonly rawIndex: (index: number) => number;
};

/** Curly quotes, long dashes and unusual spaces as plain characters; the length stays the same. */
export function plainSigns(text: string): string {
  return text.replace(ANY_LOOKALIKE, (sign) => PLAIN.get(sign) ?? sign);
}

/** The text without spaces and tabs before line ends and at its end. */
export function withoutTrailing(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of trailingRanges(text)) {
    parts.push(text.slice(at, start));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

/** The same normalisation for a text without a map. */
export function viewText(text: string, { trailing }: ViewOptions): string {
  const plain = plainSigns(toLf(text));
  return trailing ? withoutTrailing(plain) : plain;
}

export function textView(raw: string, { trailing }: ViewOptions): TextView {
  const parts: string[] = [];
  /** The number of missing characters before each view index. */
  const steps: Step[] = [];
  let at = 0;
  let shift = 0;
  const skip = (start: number, end: number, isReturn: boolean) => {
    parts.push(raw.slice(at, start));
    // The `\n` of a CRLF maps to its `\r`: the pair is never split.
    const from = start - shift + (isReturn ? 1 : 0);
    shift += end - start;
    steps.push({ from, shift });
    at = end;
  };
  const ranges = trailing ? trailingRanges(raw) : [];
  let next = 0;
  for (let lineEnd = raw.indexOf("\n"); lineEnd !== -1; lineEnd = raw.indexOf("\n", lineEnd + 1)) {
    const range = ranges[next];
    if (range && range.start < lineEnd) {
      skip(range.start, range.end, false);
      next += 1;
    }
    if (raw[lineEnd - 1] === "\r") skip(lineEnd - 1, lineEnd, true);
  }
  const last = ranges[next];
  if (last) skip(last.start, last.end, false);
  parts.push(raw.slice(at));
  return { text: plainSigns(parts.join("")), rawIndex: (index) => index + shiftAt(steps, index) };
}

type Step = { readonly from: number; readonly shift: number };
type Range = { readonly start: number; readonly end: number };

const WHITE = /[^\S\r\n]/;

/** White space before line ends and at the end; at most one range per line, none empty. */
function trailingRanges(text: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let lineStart = 0; lineStart <= text.length; ) {
    const found = text.indexOf("\n", lineStart);
    const lineEnd = found === -1 ? text.length : found;
    const end = text[lineEnd - 1] === "\r" && lineEnd > lineStart && found !== -1 ? lineEnd - 1 : lineEnd;
    let start = end;
    while (start > lineStart && WHITE.test(text[start - 1] ?? "")) start -= 1;
    if (start < end) ranges.push({ start, end });
    lineStart = lineEnd + 1;
  }
  return ranges;
}

/** The last step at or before `index` (binary search). */
function shiftAt(steps: readonly Step[], index: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.from ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1]?.shift ?? 0;
}
