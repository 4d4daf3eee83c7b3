import type { UserWords } from "./summary-facts.ts";

/** A request may precede or follow a paste: both ends are kept if they fit, otherwise only the beginning. */
const END_CHARS = 300;
const SHORT_EXCERPT_CHARS = 80;

export type KeptWords = {
  /** The messages, oldest first; a message that did not fit is shown by its id and an excerpt. */
  readonly text: string;
  /** Messages that did not fit. */
  readonly shortened: readonly UserWords[];
};

/**
 * The user's messages word for word, newest first; a message that does not fit is shortened, and older messages may
 * still fit. The excerpts of shortened messages may take `maxTokens` more; the oldest are only counted.
 * @param words The messages, oldest first.
 * @param tokensOf Tokens of a text.
 */
export function keepWords(
  words: readonly UserWords[],
  maxTokens: number,
  tokensOf: (text: string) => number,
): KeptWords {
  const shortened: UserWords[] = [];
  const lines: string[] = [];
  let left = maxTokens;
  let excerptsLeft = maxTokens;
  let omitted = 0;
  for (const one of words.toReversed()) {
    const tokens = tokensOf(one.text);
    if (tokens <= left) {
      left -= tokens;
      lines.push(`<message>\n${escaped(one.text)}\n</message>`);
      continue;
    }
    shortened.push(one);
    const ends = bothEnds(one.text);
    const fits = tokensOf(ends) <= left;
    if (fits) left -= tokensOf(ends);
    const excerpt = fits ? ends : beginning(one.text, SHORT_EXCERPT_CHARS);
    const line = `<message id="${one.entryId}" tokens="${tokens}">${escaped(excerpt)}</message>`;
    if (!fits) excerptsLeft -= tokensOf(line);
    if (fits || excerptsLeft >= 0) lines.push(line);
    else omitted += 1;
  }
  if (omitted > 0) lines.push(`(${omitted} older ${omitted === 1 ? "message is" : "messages are"} not shown)`);
  return { text: lines.reverse().join("\n"), shortened };
}

function bothEnds(text: string): string {
  if (text.length <= 2 * END_CHARS) return oneRow(text);
  return `${beginning(text, END_CHARS)} ${oneRow(text.slice(-END_CHARS))}`;
}

function beginning(text: string, chars: number): string {
  return `${oneRow(text.slice(0, chars))}…`;
}

function oneRow(text: string): string {
  return text.toWellFormed().replaceAll("\n", " ");
}

/** Typed text must not close the element. */
function escaped(text: string): string {
  return text.replaceAll("</message", "<\\/message");
}
