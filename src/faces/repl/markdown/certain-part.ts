import type { Chunk } from "../../../protocol/transcript/chunk.ts";

/** Signs that begin or end inline text, or the end of a paragraph. */
const SIGNS =
  /\\.?|`+|\*+|_+|~+|\]\(?|[[<]|&#?\w*;?|\n(?=[ \t>]*(?:\n|(?:[-*+]|\d{1,9}[.)])[ \t]))|\n(?=[ \t>]*(?:`{3}|~{3}))/gs;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;
const QUOTE = /^ {0,3}>/m;
const INDENTED_CODE = /^(?: {4}| {0,3}\t)/;
/** A fence, also one in a quote or in an item: what it begins is not read here. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t>]*(?:`{3}|~{3})/;
const SPACE = /^\s?$/;
const SIGN = /[\p{P}\p{S}]/u;
/** Signs before a word, and behind one. */
const OPENING = /[([{*_~“‘"'—–/]/;
const CLOSING = /[)\]}*_~”’"'—–/.,:;!?…]/;
/** A blank, or a sign of a script without blanks, and the word behind it. */
const LAST_WORD =
  /[\s\u1100-\u115f\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60][^\s\u1100-\u115f\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60]*$/;

/** Reading stops at more open signs than this, because their list is copied for each sign. */
const MAX_OPEN = 50;

/** `mayDefine`: a later paragraph may be a definition, which makes a name in brackets a link. */
type Prose = { readonly text: string; readonly mayDefine: boolean };
/** A run of delimiters, or a bracket, without its end so far. */
type Open = { readonly run: string; readonly at: number };
/** `next`: where reading goes on; undefined if what follows decides about the text from the sign on. */
type Read = { readonly open: readonly Open[]; readonly next: number | undefined };

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
  if (INDENTED_CODE.test(chunk.text) || FENCE.test(chunk.text)) return undefined;
  const bar = chunk.text.indexOf("|");
  // A line with a bar may be the head of a table.
  const prose = bar < 0 ? chunk.text : chunk.text.slice(0, chunk.text.lastIndexOf("\n", bar) + 1);
  const certain = prose.slice(0, certainLength(prose));
  const text = certain.slice(0, Math.max(0, certain.search(LAST_WORD))).trimEnd();
  return text === "" ? undefined : { ...chunk, text };
}

function certainLength(text: string): number {
  const prose = { text, mayDefine: ITEM.test(text) || QUOTE.test(text) };
  let open: readonly Open[] = [];
  SIGNS.lastIndex = 0;
  for (let match = SIGNS.exec(text); match; match = SIGNS.exec(text)) {
    const read = readSign({ run: match[0], at: match.index }, open, prose);
    open = read.open;
    if (read.next === undefined || open.length > MAX_OPEN) return open[0]?.at ?? match.index;
    SIGNS.lastIndex = read.next;
  }
  return open[0]?.at ?? text.length;
}

function readSign(sign: Open, open: readonly Open[], prose: Prose): Read {
  const { text } = prose;
  const { run, at } = sign;
  const end = at + run.length;
  const isDecided = (is: boolean): Read => ({ open, next: is ? end : undefined });
  switch (run.charAt(0)) {
    case "\n":
      // No inline text goes on behind the end of a paragraph.
      return { open: [], next: FENCE.test(text.slice(end)) ? undefined : end };
    case "\\":
      return isDecided(run.length > 1);
    case "&":
      return isDecided(run.endsWith(";") || end < text.length);
    case "<":
      return isDecided(end < text.length && !/[A-Za-z/!?]/.test(text.charAt(end)));
    case "`":
      return { open, next: endOfCode(text, run, end) };
    case "[":
      return { open: [...open, sign], next: end };
    case "]":
      return readBracket(sign, open, prose);
    default:
      return readRun(sign, open, text);
  }
}

/** Where code ends that began with these backticks. */
function endOfCode(text: string, ticks: string, from: number): number | undefined {
  for (const { 0: run, index } of text.slice(from).matchAll(/`+/g)) {
    // At the end of the text, more backticks may follow.
    if (run === ticks && from + index + run.length < text.length) return from + index + run.length;
  }
  return undefined;
}

/** Ends a link, or a bracket that is none: a definition of its name may follow in a list or a quote, behind a blank line. */
function readBracket({ run, at }: Open, open: readonly Open[], { text, mayDefine }: Prose): Read {
  const end = at + run.length;
  const opener = open.findLastIndex((one) => one.run === "[");
  if (opener < 0) return { open, next: end };
  if (run === "](") {
    const close = /^[^()\s]*\)/.exec(text.slice(end))?.[0];
    return { open: open.slice(0, opener), next: close === undefined ? undefined : end + close.length };
  }
  const isOpen = mayDefine || ["", ":", "["].includes(text.charAt(end)) || opener < open.length - 1;
  return isOpen ? { open, next: undefined } : { open: open.toSpliced(opener, 1), next: end };
}

/**
 * Begins or ends emphasis. A run that could do both, or ends another one than the last, is in doubt: what it does depends on the
 * whole paragraph.
 */
function readRun(sign: Open, open: readonly Open[], text: string): Read {
  const { run, at } = sign;
  const before = text.charAt(at - 1);
  const after = text.charAt(at + run.length);
  const next = at + run.length;
  const isInWord = !SPACE.test(before) && !SIGN.test(before) && !SPACE.test(after) && !SIGN.test(after);
  if (SPACE.test(before) && SPACE.test(after) && after !== "") return { open, next };
  if (run.startsWith("_") && isInWord) return { open, next };
  const canOpen = SPACE.test(before) || OPENING.test(before);
  const canClose = after !== "" && (SPACE.test(after) || CLOSING.test(after));
  if (canOpen && !canClose && !SPACE.test(after)) return { open: [...open, sign], next };
  const isLast = canClose && !canOpen && !SPACE.test(before) && open.at(-1)?.run === run;
  return isLast ? { open: open.slice(0, -1), next } : { open, next: undefined };
}
