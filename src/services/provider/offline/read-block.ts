import { plainWord } from "./cursor.ts";
import { stickyMatch } from "./sticky-match.ts";
import { isQuote, skipBlanks, type Token, UnclosedQuoteError } from "./tokens.ts";

type Block = { readonly block: string; readonly end: number };

/**
 * The text of a file without quotes: the text after a colon, or the lines after `with`. The text extends to the end
 * of the request; between code fences to the closing fence; in a numbered list to the next number.
 */
export function readBlock(
  text: string,
  at: number,
  tokens: readonly Token[],
  mark: number | undefined,
): Block | undefined {
  const last = tokens.at(-1);
  if (last?.kind !== "word" && !(last?.kind === "quoted" && text[at] === ":")) return undefined;
  const opensBy =
    text[at] === ":" || last.raw.endsWith(":") ? "colon" : plainWord(last) === "with" ? "line" : undefined;
  if (opensBy === undefined) return undefined;
  const from = text[at] === ":" ? at + 1 : at;
  const blankEnd = skipBlanks(text, from);
  const isOnNextLine = text[blankEnd] === "\n";
  const start = isOnNextLine ? blankEnd + 1 : blankEnd;
  if (start >= text.length || (opensBy === "line" && !isOnNextLine)) return undefined;
  // A quote after the colon is an ordinary literal: steps may follow it.
  if (!isOnNextLine && isQuote(text[start]) && !text.startsWith("```", start)) return undefined;
  return fenced(text, start) ?? openBlock(text, start, mark);
}

const FENCE = /[^\S\n]*(`{3,})[^\n`]*\n/y;

function fenced(text: string, start: number): Block | undefined {
  const found = stickyMatch(FENCE, text, start);
  if (!found) return undefined;
  const from = start + found[0].length;
  const closing = new RegExp(`(?<=^|\\n)[^\\S\\n]*${found[1]}\`*[^\\S\\n]*(?=\\n|$)`, "g");
  closing.lastIndex = from;
  const end = closing.exec(text);
  if (!end) throw new UnclosedQuoteError(found[1] ?? "", start);
  return { block: text.slice(from, end.index), end: end.index + end[0].length };
}

function openBlock(text: string, start: number, mark: number | undefined): Block {
  const next = mark === undefined ? undefined : new RegExp(`\\n[^\\S\\n]*${mark + 1}[.)][^\\S\\n]`, "g");
  if (next) next.lastIndex = start;
  const end = next?.exec(text)?.index ?? text.length;
  const body = text.slice(start, end);
  return { block: body.endsWith("\n") ? body : `${body}\n`, end };
}
