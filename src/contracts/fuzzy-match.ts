/** How well a text has the typed letters in their order. `marks`: their indices in the text, ascending. */
export type FuzzyMatch = { readonly score: number; readonly marks: readonly number[] };

const LETTER = 16;
const NEIGHBOUR = 14;
const WORD_START = 10;
const LAST_PART = 6;
const PART_START = 20;
const WHOLE_PART = 30;
const MOST_GAP = 8;

/**
 * Finds the letters of a query in a name or a path, case aside. A text that holds the query as it is beats one with gaps,
 * the last part of a path beats its folders, the start of a word beats its middle, and a short text beats a long one.
 * @param query In lower case.
 * @returns undefined if a letter is missing. An empty query matches everything with the score 0.
 */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  if (query === "") return { score: 0, marks: [] };
  const low = lowerCase(text);
  const part = lastPart(low);
  const at = wholeAt(query, low, part);
  if (at >= 0) {
    return { score: scoreWhole(query, text, low, part), marks: Array.from(query, (_, index) => at + index) };
  }
  const marks: number[] = [];
  const score = scoreGaps(query, text, low, marks);
  return score < 0 ? undefined : { score, marks };
}

/**
 * The score of a text that has the letters of the query with gaps; negative if a letter is missing.
 * @param marks Takes their indices. Scoring many texts with the same array makes no garbage.
 */
export function scoreGaps(query: string, text: string, low: string, marks: number[]): number {
  const part = lastPart(low);
  if (!spread(query, low, part, marks) && (part === 0 || !spread(query, low, 0, marks))) return -1;
  return scoreSpread(marks, text, part);
}

/**
 * The most that `scoreGaps` can give to a text that has no capitals, does not hold the query as it is, and lacks one of its
 * letters in its last part; an eighth of its length is to be taken off. A letter then follows the one before it, or begins
 * a word after a gap; only after a sign it can do both.
 */
export function mostForGaps(query: string): number {
  const { length } = query;
  const signs = Array.from(query).filter((_, at) => !isLetterOrDigit(query.charCodeAt(at))).length;
  const all = length * LETTER + (length - 1) * (NEIGHBOUR + LAST_PART) + (1 + signs) * WORD_START;
  return all - (NEIGHBOUR - WORD_START + 1);
}

/**
 * The letters of a text as bits: a text lacks a letter of a query if it lacks one of the query's bits. Letters have one
 * each; what is left shares five.
 * @param low In lower case.
 */
export function letterBits(low: string, from = 0, to = low.length): number {
  let bits = 0;
  for (let index = from; index < to; index += 1) {
    const code = low.charCodeAt(index);
    bits |= 1 << (code >= 97 && code <= 122 ? code - 97 : 26 + (code % 5));
  }
  return bits;
}

/** In lower case; as it is where a letter becomes two, because indices must stay. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** The score of a text that holds the query as it is, without its marks; negative if it does not. */
export function scoreWhole(query: string, text: string, low: string, part = lastPart(low)): number {
  const at = wholeAt(query, low, part);
  if (at < 0) return -1;
  const { length } = query;
  const end = text.length - (text.endsWith("/") ? 1 : 0);
  let score = length * (LETTER + NEIGHBOUR) - NEIGHBOUR;
  if (isWordStart(text, at)) score += WORD_START;
  if (at >= part) score += LAST_PART * length;
  if (at === part) score += at + length === end ? PART_START + WHOLE_PART : PART_START;
  return Math.max(0, score - text.length / 8);
}

/** The index at which the last part of a path begins. */
export function lastPart(low: string): number {
  return low.lastIndexOf("/", low.length - 2) + 1;
}

function wholeAt(query: string, low: string, part: number): number {
  const at = low.indexOf(query, part);
  return at >= 0 || part === 0 ? at : low.lastIndexOf(query);
}

/** The letters with gaps, as close together as their first possible end allows. @returns false if a letter is missing. */
function spread(query: string, low: string, from: number, marks: number[]): boolean {
  let at = from;
  let found = 0;
  for (; at < low.length && found < query.length; at += 1) {
    if (low.charCodeAt(at) === query.charCodeAt(found)) found += 1;
  }
  if (found < query.length) return false;
  marks.length = found;
  while (found > 0) {
    at -= 1;
    if (low.charCodeAt(at) !== query.charCodeAt(found - 1)) continue;
    found -= 1;
    marks[found] = at;
  }
  return true;
}

function scoreSpread(marks: readonly number[], text: string, part: number): number {
  let score = marks[0] === part ? PART_START : 0;
  let before: number | undefined;
  for (const at of marks) {
    score += LETTER;
    if (before !== undefined) score += at === before + 1 ? NEIGHBOUR : -Math.min(MOST_GAP, at - before - 1);
    if (isWordStart(text, at)) score += WORD_START;
    if (at >= part) score += LAST_PART;
    before = at;
  }
  return Math.max(0, score - text.length / 8);
}

function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (!isLetterOrDigit(before)) return true;
  return isUpper(text.charCodeAt(at)) && !isUpper(before);
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || isUpper(code) || (code >= 97 && code <= 122) || code > 127;
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}
