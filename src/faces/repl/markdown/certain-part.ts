import type { Chunk } from "../../../protocol/transcript/chunk.ts";

/** A run of delimiters, a sign that begins or ends other inline text, or the end of a paragraph. */
const SIGNS =
  /\\.?|`+|\*+|_+|~+|\]\(?|[[<]|&#?\w*;?|\n(?=[ \t>]*(?:\n|(?:[-*+]|\d{1,9}[.)])[ \t]))|\n[ \t]*(?=`{3}|~{3})/gs;
const WORD = /[\p{L}\p{N}]/u;

/** A run of delimiters without its end so far. */
type Open = { readonly run: string; readonly at: number };

/**
 * The beginning of an open chunk that is drawn in the same way whatever text follows: complete lines of code, and words before the
 * first sign that may still become a part of emphasis, code, a link or a table. A line of dashes may still turn the text into a
 * heading, which only makes it bold. The rules are those of CommonMark 0.31 and GFM, read narrowly: text in doubt is left out.
 * @returns undefined if there is no such part.
 */
export function certainPart(chunk: Chunk): Chunk | undefined {
  if (chunk.kind === "code") {
    const lines = chunk.lines.slice(0, -1);
    return lines.length > 0 ? { ...chunk, lines } : undefined;
  }
  // Indented code has no inline text, which a paragraph behind it has.
  if (/^(?: {4}| {0,3}\t)/.test(chunk.text)) return undefined;
  const bar = chunk.text.indexOf("|");
  // A line with a bar may be the head of a table.
  const prose = bar < 0 ? chunk.text : chunk.text.slice(0, chunk.text.lastIndexOf("\n", bar) + 1);
  const certain = prose.slice(0, certainLength(prose));
  const text = certain.slice(0, certain.search(/\s\S*$/)).trimEnd();
  return text === "" ? undefined : { ...chunk, text };
}

function certainLength(text: string): number {
  let open: Open[] = [];
  SIGNS.lastIndex = 0;
  for (let match = SIGNS.exec(text); match; match = SIGNS.exec(text)) {
    const [sign] = match;
    const at = match.index;
    const end = at + sign.length;
    const first = sign.charAt(0);
    if (first === "\n") {
      // No inline text goes on behind the end of a paragraph.
      if (/^[ \t]*[`~]{3}/.test(text.slice(end))) return least(open, end);
      open = [];
    } else if (first === "\\" ? sign.length === 1 : first === "&" && !sign.endsWith(";") && end === text.length) {
      return least(open, at);
    } else if (first === "`") {
      const close = closeOfCode(text, sign, end);
      if (close === undefined) return least(open, at);
      SIGNS.lastIndex = close;
    } else if (first === "<" ? /^[A-Za-z/!?]|^$/.test(text.slice(end, end + 1)) : false) return least(open, at);
    else if (first === "[") open.push({ run: sign, at });
    else if (first === "]") {
      const link = endOfLink(text, sign, end);
      if (link === undefined) return least(open, at);
      open = open.slice(
        0,
        Math.max(
          0,
          open.findLastIndex(({ run }) => run === "["),
        ),
      );
      SIGNS.lastIndex = link;
    } else if ("*_~".includes(first)) open = withRun(open, { run: sign, at }, text);
  }
  return least(open, text.length);
}

function least(open: readonly Open[], at: number): number {
  return Math.min(at, open[0]?.at ?? at);
}

/** Where code ends that began with these backticks. */
function closeOfCode(text: string, ticks: string, from: number): number | undefined {
  for (const { 0: run, index } of text.slice(from).matchAll(/`+/g)) {
    // At the end of the text, more backticks may follow.
    if (run === ticks && from + index + run.length < text.length) return from + index + run.length;
  }
  return undefined;
}

/** Where a link ends, or the bracket that is none; undefined if the next signs may still decide it. */
function endOfLink(text: string, sign: string, end: number): number | undefined {
  if (sign === "](") {
    const close = /^[^()\s]*\)/.exec(text.slice(end))?.[0];
    return close === undefined ? undefined : end + close.length;
  }
  const next = text.charAt(end);
  return next === "" || next === ":" || next === "[" ? undefined : end;
}

/** Ends the run that this one closes, or opens another one. */
function withRun(open: readonly Open[], next: Open, text: string): Open[] {
  const { run, at } = next;
  const before = text.charAt(at - 1);
  const after = text.charAt(at + run.length);
  const canClose = /\S/.test(before);
  const canOpen = !/\s/.test(after);
  if (run.startsWith("_") && WORD.test(before) && WORD.test(after)) return [...open];
  const opener = canClose ? open.findLastIndex((one) => one.run === run) : -1;
  // More of the same sign may follow at the end of the text.
  if (opener >= 0 && after !== "") return open.slice(0, opener);
  return canOpen || canClose ? [...open, next] : [...open];
}
