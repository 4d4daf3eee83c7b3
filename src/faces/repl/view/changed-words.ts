import { diffArrays } from "diff";
import type { Span } from "./mark-spans.ts";

/** Longer lines are compared as a whole, because the comparison would be slow. A paragraph of prose is one line. */
const MAX_CHARS = 1_000;
/** Lines that differ in more words and signs are not similar, or too long for marks of theirs to help. */
const MAX_EDITS = 80;
/** Two lines are similar if they share more than this part of their words and signs. */
const MIN_SHARED = 0.5;
/** Above this number of comparisons, the lines of a change are paired in their order. */
const MAX_COMPARISONS = 100;
/** A name or a number with its marks; blanks; other scripts; one sign. */
const WORD = /[\p{Script=Latin}\p{N}\p{M}_$]+|\s+|[^ -~]+|./gsu;
/** Between two changed words: blanks, or one sign such as a dot. */
const JOINT = /^(?:\s+|[^\p{L}\p{N}])$/u;

export type ChangedWords = { readonly old: readonly Span[]; readonly now: readonly Span[] };

/** The words that differ between a line and its replacement; undefined if most words do. */
export function changedWords(old: string, now: string): ChangedWords | undefined {
  if (old.length > MAX_CHARS || now.length > MAX_CHARS) return undefined;
  const spans: { old: Span[]; now: Span[] } = { old: [], now: [] };
  let oldAt = 0;
  let nowAt = 0;
  let shared = 0;
  const words = { old: [...wordsOf(old)], now: [...wordsOf(now)] };
  const parts = diffArrays(words.old, words.now, { maxEditLength: MAX_EDITS });
  if (!parts) return undefined;
  for (const { value, added, removed } of parts) {
    const part = value.join("");
    if (removed) oldAt = extend(spans.old, old, oldAt, part.length);
    else if (added) nowAt = extend(spans.now, now, nowAt, part.length);
    else {
      shared += total(value);
      oldAt += part.length;
      nowAt += part.length;
    }
  }
  if (!isSimilar(shared, total(words.old), total(words.now))) return undefined;
  return {
    old: spans.old.map((span) => withoutEdges(span, old)),
    now: spans.now.map((span) => withoutEdges(span, now)),
  };
}

/** A part without the blanks at its ends, unless all of it is blank. */
function withoutEdges({ from, to }: Span, line: string): Span {
  const part = line.slice(from, to);
  if (part.trim() === "") return { from, to };
  return { from: from + part.length - part.trimStart().length, to: to - part.length + part.trimEnd().length };
}

/**
 * Pairs removed lines with the added lines that replace them: those that share most words, in their order.
 * @returns the indices of each pair, in both lists; none if the lists are long, or of one line each.
 */
export function matchedLines(
  old: readonly string[],
  now: readonly string[],
): readonly (readonly [old: number, now: number])[] {
  const comparisons = old.length * now.length;
  if (comparisons < 2 || comparisons > MAX_COMPARISONS) return [];
  const words = now.map(weightByWord);
  const likeness = old.map(weightByWord).map((one) => words.map((other) => sharedWeight(one, other)));
  // `best[i][j]`: the greatest sum of what the pairs from line i and line j on share.
  const best = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  const at = (i: number, j: number) => best[i]?.[j] ?? 0;
  const paired = (i: number, j: number) => (likeness[i]?.[j] ?? 0) + at(i + 1, j + 1);
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      (best[i] ?? [])[j] = Math.max(at(i + 1, j), at(i, j + 1), likeness[i]?.[j] ? paired(i, j) : 0);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (likeness[i]?.[j] && at(i, j) === paired(i, j)) pairs.push([i++, j++]);
    else if (at(i, j) === at(i + 1, j)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** The weight of the words that two lines share; 0 if the lines are not similar. */
function sharedWeight(one: WeightByWord, other: WeightByWord): number {
  let shared = 0;
  for (const [word, weight] of one) shared += Math.min(weight, other.get(word) ?? 0);
  const sum = (weights: WeightByWord) => [...weights.values()].reduce((all, weight) => all + weight, 0);
  return isSimilar(shared, sum(one), sum(other)) ? shared : 0;
}

type WeightByWord = ReadonlyMap<string, number>;

function weightByWord(line: string): WeightByWord {
  const weights = new Map<string, number>();
  for (const word of wordsOf(line.slice(0, MAX_CHARS))) weights.set(word, (weights.get(word) ?? 0) + weightOf(word));
  return weights;
}

/** Lines of code have brackets and commas in common, whatever they say. */
function weightOf(word: string): number {
  if (word.trim() === "") return 0;
  return /[\p{L}\p{N}]/u.test(word) ? 2 : 1;
}

function total(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + weightOf(word), 0);
}

function isSimilar(shared: number, one: number, other: number): boolean {
  return shared * 2 > (one + other) * MIN_SHARED;
}

let segmenter: Intl.Segmenter | undefined;

/** Words and the signs between them. Scripts without blanks are cut by their dictionary, and no emoji is cut. */
function wordsOf(line: string): readonly string[] {
  return (line.match(WORD) ?? []).flatMap((word) => {
    if (/^[ -~]|^[\p{Script=Latin}\p{N}\p{M}]+$/u.test(word)) return [word];
    segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
    return Array.from(segmenter.segment(word), ({ segment }) => segment);
  });
}

/** Adds a part; a part close behind the last one continues it. @returns the end of the new part. */
function extend(spans: Span[], line: string, from: number, length: number): number {
  const last = spans.at(-1);
  const to = from + length;
  const isJoined = last && (last.to === from || JOINT.test(line.slice(last.to, from)));
  if (last && isJoined) spans[spans.length - 1] = { from: last.from, to };
  else spans.push({ from, to });
  return to;
}
