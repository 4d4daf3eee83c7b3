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
  const marks = spread(query, low, part) ?? spread(query, low, 0);
  return marks && { score: scoreSpread(marks, text, part), marks };
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
function lastPart(low: string): number {
  return low.lastIndexOf("/", low.length - 2) + 1;
}

function wholeAt(query: string, low: string, part: number): number {
  const at = low.indexOf(query, part);
  return at >= 0 || part === 0 ? at : low.lastIndexOf(query);
}

/** The letters with gaps, as close together as their first possible end allows. */
function spread(query: string, low: string, from: number): readonly number[] | undefined {
  let end = from - 1;
  for (let index = 0; index < query.length; index += 1) {
    end = low.indexOf(query.charAt(index), end + 1);
    if (end < 0) return undefined;
  }
  const marks: number[] = [];
  let at = end + 1;
  for (let index = query.length - 1; index >= 0; index -= 1) {
    at = low.lastIndexOf(query.charAt(index), at - 1);
    marks.push(at);
  }
  return marks.reverse();
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
