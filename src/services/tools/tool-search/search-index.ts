import type { Findable } from "../../../contracts/findable.ts";
import { isCommonWord, keptStem, searchWords } from "../../../contracts/search-words.ts";

const NAME_WEIGHT = 6;
const HINT_WEIGHT = 3;
const DESCRIPTION_WEIGHT = 1;
/** The texts of an entry, in the order of `textsOf`. */
const WEIGHTS = [NAME_WEIGHT, HINT_WEIGHT, DESCRIPTION_WEIGHT] as const;
const TEXTS = WEIGHTS.length;
/** The share of a word's weight that counts if the word is only the beginning of another. */
const PREFIX_SHARE = 0.5;
const MIN_PREFIX_CHARS = 3;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole range is meant
const ASCII = /^[\x00-\x7f]*$/;
/** The words of ASCII text as `searchWords` splits it: a capital after a small letter or a digit begins another word. */
const ASCII_WORD = /[A-Z]+[a-z0-9]*|[a-z0-9]+/g;

/**
 * An inverted index of the names, hints and descriptions of tools: each stem with the texts that have it.
 */
export class SearchIndex {
  /** Stem → numbers of texts, ascending; a text's number is that of its entry times `TEXTS`, plus its place in the entry. */
  readonly #texts = new Map<string, number[]>();
  /** The stems of words as they are written; undefined for common words. */
  readonly #stems = new Map<string, string | undefined>();
  /** The names of all entries in lower case, in their order. */
  readonly names: readonly string[];

  constructor(items: readonly Findable[]) {
    this.names = items.map(({ name }) => name.toLowerCase());
    for (const [at, item] of items.entries()) this.#add(item, at);
  }

  /**
   * Adds the weight of a word to the score of each entry that has it.
   * @param stem A word as `searchWords` gives it. @param scores One number for each entry.
   */
  addTo(scores: Float64Array, stem: string): void {
    const whole = this.#texts.get(stem) ?? [];
    addWeights(scores, whole, 1);
    if (stem.length < MIN_PREFIX_CHARS) return;
    const begun = new Set<number>();
    for (const [longer, texts] of this.#texts)
      if (longer.length > stem.length && longer.startsWith(stem)) for (const text of texts) begun.add(text);
    if (begun.size === 0) return;
    for (const text of whole) begun.delete(text);
    addWeights(scores, [...begun], PREFIX_SHARE);
  }

  #add({ name, hint = "", description }: Findable, at: number): void {
    [name, hint, description].forEach((text, place) => {
      for (const stem of this.#stemsOf(text)) if (stem !== undefined) this.#note(stem, at * TEXTS + place);
    });
  }

  #note(stem: string, text: number): void {
    const texts = this.#texts.get(stem);
    if (!texts) this.#texts.set(stem, [text]);
    else if (texts.at(-1) !== text) texts.push(text);
  }

  #stemsOf(text: string): readonly (string | undefined)[] {
    if (!ASCII.test(text)) return searchWords(text);
    return text.match(ASCII_WORD)?.map((written) => this.#stemOf(written)) ?? [];
  }

  #stemOf(written: string): string | undefined {
    if (this.#stems.has(written)) return this.#stems.get(written);
    const word = written.toLowerCase();
    const stem = isCommonWord(word) ? undefined : keptStem(word);
    this.#stems.set(written, stem);
    return stem;
  }
}

function addWeights(scores: Float64Array, texts: readonly number[], share: number): void {
  // A plain loop: a search goes through thousands of texts before its code is compiled.
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? 0;
    const entry = Math.trunc(text / TEXTS);
    scores[entry] = (scores[entry] ?? 0) + (WEIGHTS[text % TEXTS] ?? 0) * share;
  }
}

/** Keeps each index only as long as its list of entries. */
const INDEXES = new WeakMap<readonly Findable[], SearchIndex>();

/** The index of a list. The same list gives the same index. */
export function searchIndexOf(items: readonly Findable[]): SearchIndex {
  const known = INDEXES.get(items);
  if (known) return known;
  const index = new SearchIndex(items);
  INDEXES.set(items, index);
  return index;
}
