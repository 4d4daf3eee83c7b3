import type { Findable } from "../../../contracts/findable.ts";
import { searchWords } from "../../../contracts/search-words.ts";
import { SearchedText } from "./searched-text.ts";

const NAME_WEIGHT = 6;
const HINT_WEIGHT = 3;
const DESCRIPTION_WEIGHT = 1;
/** The share of a word's score that counts if the word is only the beginning of another. */
const PREFIX_SHARE = 0.5;
const MIN_PREFIX_CHARS = 3;
/** Entries with a much lower score than the best one are left out. */
const MIN_SHARE_OF_BEST = 0.25;
const SERVER_PREFIX = /^mcp__.+?__/;
/** The beginning of a query that names tools. */
export const SELECT = /^select:/i;

export type Found = {
  readonly items: readonly Findable[];
  /** Names in a `select:` query that no entry has. */
  readonly missing: readonly string[];
};

/**
 * Finds the matches of a query, best first: by exact name (also without the server's prefix), by `select:a,b`, else by words. A
 * word with `+` must occur. Ties keep the order of `all`, so that the same query gives the same answer.
 */
export function findByQuery(query: string, all: readonly Findable[]): Found {
  if (SELECT.test(query)) return select(query.replace(SELECT, "").split(","), all);
  const exact = named(query, all);
  if (exact.length > 0) return { items: exact, missing: [] };
  return { items: rank(query, all), missing: [] };
}

function select(names: readonly string[], all: readonly Findable[]): Found {
  const wanted = names.map((name) => name.trim()).filter((name) => name !== "");
  const items = new Set(wanted.flatMap((name) => named(name, all)));
  return { items: [...items], missing: wanted.filter((name) => named(name, all).length === 0) };
}

function named(name: string, all: readonly Findable[]): readonly Findable[] {
  const folded = name.toLowerCase();
  const ending = all.filter((one) => one.name.toLowerCase().endsWith(folded));
  const whole = ending.filter((one) => one.name.toLowerCase() === folded);
  if (whole.length > 0) return whole;
  return ending.filter((one) => one.name.toLowerCase().replace(SERVER_PREFIX, "") === folded);
}

function rank(query: string, all: readonly Findable[]): readonly Findable[] {
  const terms = query.split(/\s+/).map((term) => ({ words: searchWords(term), isRequired: term.startsWith("+") }));
  const required = terms.filter(({ isRequired }) => isRequired).flatMap(({ words }) => words);
  const words = [...new Set(terms.flatMap((term) => term.words))];
  const scored = all
    .map((item) => ({ item, texts: textsOf(item) }))
    .filter(({ texts }) => required.every((word) => scoreWord(word, texts) > 0))
    .map(({ item, texts }) => ({ item, score: words.reduce((sum, word) => sum + scoreWord(word, texts), 0) }))
    .sort((a, b) => b.score - a.score);
  const least = (scored[0]?.score ?? 0) * MIN_SHARE_OF_BEST;
  return scored.filter(({ score }) => score > 0 && score >= least).map(({ item }) => item);
}

type Texts = readonly { readonly weight: number; readonly text: SearchedText }[];

function textsOf({ name, hint = "", description }: Findable): Texts {
  return [
    { weight: NAME_WEIGHT, text: new SearchedText(name) },
    { weight: HINT_WEIGHT, text: new SearchedText(hint) },
    { weight: DESCRIPTION_WEIGHT, text: new SearchedText(description) },
  ];
}

function scoreWord(word: string, texts: Texts): number {
  return texts.reduce((sum, { weight, text }) => {
    const match = text.match(word);
    if (match === "whole") return sum + weight;
    return match === "begins" && word.length >= MIN_PREFIX_CHARS ? sum + weight * PREFIX_SHARE : sum;
  }, 0);
}
