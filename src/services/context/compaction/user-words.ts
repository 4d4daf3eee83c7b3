import type { UserWords } from "./session-facts.ts";

const MAX_EXCERPT_CHARS = 80;

export type KeptWords = {
  /** The messages, oldest first; those that did not fit by their id and their beginning. */
  readonly text: string;
  /** Messages that did not fit. */
  readonly shortened: readonly UserWords[];
};

/**
 * The user's messages word for word, the newest first as far as they fit.
 * @param words Oldest first.
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
  for (const one of words.toReversed()) {
    const tokens = tokensOf(one.text);
    left -= tokens;
    if (left >= 0) lines.push(`<message>\n${escaped(one.text)}\n</message>`);
    else {
      shortened.push(one);
      const beginning = one.text.slice(0, MAX_EXCERPT_CHARS).toWellFormed().replaceAll("\n", " ");
      lines.push(`<message id="${one.entryId}" tokens="${tokens}">${escaped(beginning)}…</message>`);
    }
  }
  return { text: lines.reverse().join("\n"), shortened };
}

/** Typed text must not close the element. */
function escaped(text: string): string {
  return text.replaceAll("</message", "<\\/message");
}
