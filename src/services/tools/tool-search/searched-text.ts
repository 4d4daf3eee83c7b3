import { isCommonWord, keptStem, searchWords } from "../../../contracts/search-words.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole range is meant
const ASCII = /^[\x00-\x7f]*$/;
/** A word from its first character on: a capital after a small letter or a digit begins another word. */
const WORD = /[A-Z]*[a-z0-9]*/y;
/** Two characters inside a word. */
const NO_START = /^(?:[A-Z]|[a-z0-9][^A-Z])/;

type Match = "whole" | "begins" | undefined;

/**
 * A text of a tool, compared with the words of a query.
 *
 * A search compares a few words with the texts of thousands of tools. A stem is always the beginning of its word, so only
 * the places that contain the stem are looked at, and plain text is not split.
 */
export class SearchedText {
  readonly #text: string;
  readonly #lower: string;
  /** `plain` for text that is not split; undefined until it is needed. */
  #words: readonly string[] | "plain" | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#lower = text.toLowerCase();
  }

  /**
   * Tells whether the text has the word, has a word that begins with it, or neither.
   * @param stem A word as `searchWords` gives it.
   */
  match(stem: string): Match {
    const first = this.#lower.indexOf(stem);
    if (first === -1 && ASCII.test(stem)) return undefined;
    this.#words ??= ASCII.test(this.#text) ? "plain" : searchWords(this.#text);
    return this.#words === "plain" ? this.#matchFrom(first, stem) : matchAmong(stem, this.#words);
  }

  #matchFrom(first: number, stem: string): Match {
    let best: Match;
    for (let at = first; at !== -1; at = this.#lower.indexOf(stem, at + 1)) {
      const word = this.#wordAt(at);
      if (word.length < stem.length || isCommonWord(word)) continue;
      const own = keptStem(word);
      if (own === stem) return "whole";
      if (own.startsWith(stem)) best = "begins";
    }
    return best;
  }

  /** The word that begins at `start`, in lower case; empty if none does. */
  #wordAt(start: number): string {
    if (start > 0 && NO_START.test(this.#text.slice(start - 1, start + 1))) return "";
    WORD.lastIndex = start;
    WORD.test(this.#text);
    return this.#lower.slice(start, WORD.lastIndex);
  }
}

function matchAmong(stem: string, words: readonly string[]): Match {
  if (words.includes(stem)) return "whole";
  return words.some((word) => word.startsWith(stem)) ? "begins" : undefined;
}
