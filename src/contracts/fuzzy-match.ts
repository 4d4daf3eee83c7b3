/**
 * How well a text matches the typed letters in their order. `marks`: the ascending indices of the letters in the text.
 */
export type FuzzyMatch = { readonly score: number; readonly marks: readonly number[] };

const LETTER = 16;
const NEIGHBOUR = 14;
const WORD_START = 10;
const LAST_PART = 6;
const PART_START = 20;
const WHOLE_PART = 30;
const MOST_GAP = 8;

/**
 * Finds the letters of a query in a name or a path, ignoring case. A text that contains the query as a whole ranks
 * before a text with gaps; matches in the last part of a path rank before those in its folders, matches at the start of
 * a word before those in the middle, and short texts before long ones.
 * @param query The query in lower case.
 * @returns undefined if a letter is missing. An empty query matches everything with the score 0.
 */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  if (query === "") return { score: 0, marks: [] };
  const low = lowerCase(text);
  const part = lastPart(low);
  const at = wholeAt(query, low, part);
  if (at >= 0) {
    return { score: scoreWhole(query, text, at, part), marks: Array.from(query, (_, index) => at + index) };
  }
  const marks: number[] = [];
  const score = scoreGaps(query, text, low, marks);
  return score < 0 ? undefined : { score, marks };
}

/** The score of a text that has the letters of the query with gaps; negative if a letter is missing. */
function scoreGaps(query: string, text: string, low: string, marks: number[]): number {
  const part = lastPart(low);
  if (!spread(query, low, part, marks) && (part === 0 || !spread(query, low, 0, marks))) return -1;
  return scoreSpread(marks, text, part);
}

/** Converts to lower case, except where one letter would become two, because the indices must stay valid. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** The score of a text that contains the query as a whole at an index. @param part Where its last part begins. */
function scoreWhole({ length }: string, text: string, at: number, part: number): number {
  const end = text.length - (text.endsWith("/") ? 1 : 0);
  let score = length * (LETTER + NEIGHBOUR) - NEIGHBOUR;
  if (isWordStart(text, at)) score += WORD_START;
  if (at >= part) score += LAST_PART * length;
  if (at === part) score += at + length === end ? PART_START + WHOLE_PART : PART_START;
  return Math.max(0, score - text.length / 8);
}

/** The index at which the last part of a path begins. */
function lastPart(low: string): number {
  return low.lastIndexOf("/", low.length - 2) + 1;
}

function wholeAt(query: string, low: string, part: number): number {
  const at = low.indexOf(query, part);
  return at >= 0 || part === 0 ? at : low.lastIndexOf(query);
}

/**
 * Matches the letters with gaps, as close together as the first possible end allows.
 * @returns false if a letter is missing.
 */
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
