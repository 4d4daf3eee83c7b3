import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { UserFacingError } from "../../contracts/errors.ts";
import { isCommonWord, stemOf } from "../../contracts/search-words.ts";

/** The maximum number of words of a query; further words are ignored. */
export const MAX_QUERY_WORDS = 32;
const MAX_WORD_CHARS = 200;
/** The minimum length of a word that also matches as the beginning of other words. */
const MIN_PREFIX_CHARS = 3;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const TOKEN = /[\p{L}\p{N}\p{M}]+/gu;
/** Matches a quoted part, or the text between blanks. */
const PART = /"([^"]+)"|\S+/g;

/** A word of a query: `foo_bar.ts` consists of three tokens, which must follow each other. */
export type QueryWord = {
  /** The word as typed, in lower case. */
  readonly literal: string;
  readonly tokens: readonly string[];
};

export type Query = {
  readonly words: readonly QueryWord[];
  /** The number of words that were ignored because there were too many. */
  readonly ignored: number;
};

/**
 * Splits a text like the index: characters of scripts without blanks become separate words, so that any part of a
 * sentence is found.
 */
export function spaced(text: string): string {
  return stripAnsi(text).replace(UNSPACED, " $& ").toWellFormed();
}

/**
 * Reads the words of a query. Only `"` has a special meaning: it keeps words together.
 * @throws {UserFacingError} if there is no letter or digit in it.
 */
export function readQuery(text: string): Query {
  const parts = [...text.toWellFormed().matchAll(PART)].map(([whole, quoted]) => quoted ?? whole);
  const all = parts.flatMap((part) => {
    const literal = part.slice(0, MAX_WORD_CHARS).toLowerCase();
    const tokens = spaced(literal).match(TOKEN) ?? [];
    return tokens.length === 0 ? [] : [{ literal: literal.replace(/^[?!,;:'()]+|[?!,;:'()]+$/g, ""), tokens }];
  });
  const telling = all.filter(({ literal }) => !isCommonWord(literal));
  const words = distinct(telling.length > 0 ? telling : all);
  if (words.length === 0) throw new UserFacingError("The search needs at least one word with a letter or a digit.", 2);
  return { words: words.slice(0, MAX_QUERY_WORDS), ignored: Math.max(0, words.length - MAX_QUERY_WORDS) };
}

function distinct(words: readonly QueryWord[]): readonly QueryWord[] {
  return [...new Map(words.map((word) => [word.literal, word])).values()];
}

/** The query in the language of FTS5. `all`: each word must match. */
export function ftsExpression({ words }: Query, how: "all" | "any"): string {
  if (how === "all") return words.map(phraseOf).join(" AND ");
  return words.flatMap((word) => [phraseOf(word), ...pairsOf(word)]).join(" OR ");
}

/** The pairs of neighbouring characters in a text without blanks, which is more often a sentence than a name. */
function pairsOf({ tokens }: QueryWord): readonly string[] {
  if (tokens.length < 3 || !tokens.every((token) => token.match(UNSPACED))) return [];
  return tokens.slice(1).map((token, at) => `"${tokens[at]} ${token}"`);
}

/** A single English word is replaced by its stem, so that `deploys` finds `deployed`. */
function phraseOf({ tokens }: QueryWord): string {
  const [only = "", ...others] = tokens;
  const text = others.length === 0 && /^[a-z]+$/.test(only) ? stemOf(only) : tokens.join(" ");
  const last = others.at(-1) ?? text;
  const isBeginning = last.length >= MIN_PREFIX_CHARS && !last.match(UNSPACED);
  return `"${text}"${isBeginning ? "*" : ""}`;
}

/** How well a text matches each word of a query, from 0 to 1. Exact matches of the typed words count most. */
export function wordScores(text: string, { words }: Query): readonly number[] {
  const folded = text.toLowerCase();
  return words.map((word) => scoreWord(folded, word));
}

const WHOLE = 1;
const PART_OF_WORD = 0.8;
const SAME_STEM = 0.5;

function scoreWord(folded: string, word: QueryWord): number {
  const at = folded.indexOf(word.literal);
  if (at >= 0) return isWhole(folded, at, word.literal.length) ? WHOLE : PART_OF_WORD;
  if (placeOf(folded, word) >= 0) return SAME_STEM;
  const pairs = pairsOf(word).map((pair) => pair.replaceAll(/[" ]/g, ""));
  return pairs.length === 0 ? 0 : (pairs.filter((pair) => folded.includes(pair)).length / pairs.length) * SAME_STEM;
}

function isWhole(text: string, at: number, length: number): boolean {
  return !/[\p{L}\p{N}]/u.test(text[at - 1] ?? " ") && !/[\p{L}\p{N}]/u.test(text[at + length] ?? " ");
}

function placeOf(folded: string, { literal, tokens }: QueryWord): number {
  const at = folded.indexOf(literal);
  if (at >= 0) return at;
  if (tokens.length > 1) return folded.search(new RegExp(tokens.join("[^\\p{L}\\p{N}]{1,3}"), "u"));
  return folded.indexOf(stemOf(tokens[0] ?? literal));
}

/**
 * The part of a text that contains most words of the query, cut at whole words where possible.
 * @param maxChars The maximum length without the marks of a cut.
 */
export function excerptOf(text: string, { words }: Query, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const folded = text.toLowerCase();
  const places = words
    .flatMap((word) => [
      placeOf(folded, word),
      ...pairsOf(word).map((pair) => folded.indexOf(pair.replaceAll(/[" ]/g, ""))),
    ])
    .filter((at) => at >= 0);
  const near = (place: number) => places.filter((at) => at >= place && at < place + maxChars * 0.7).length;
  const [best = 0] = places.toSorted((a, b) => near(b) - near(a) || a - b);
  const from = Math.max(0, Math.min(best - Math.floor(maxChars * 0.25), text.length - maxChars));
  const to = from + maxChars;
  const cut = text.slice(from, to).toWellFormed().replaceAll("\uFFFD", "");
  return `${from > 0 ? "…" : ""}${cut}${to < text.length ? "…" : ""}`;
}
