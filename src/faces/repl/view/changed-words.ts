import { diffWordsWithSpace } from "diff";
import type { Span } from "./mark-spans.ts";

/** Longer lines are compared as a whole: a person would not notice the words, and the comparison would be slow. */
const MAX_CHARS = 400;
/** Lines that share less than this have no meaningful words in common. */
const MIN_SHARED = 0.4;

export type ChangedWords = { readonly old: readonly Span[]; readonly now: readonly Span[] };

/** The words that differ between a line and its replacement; undefined if nearly all words do. */
export function changedWords(old: string, now: string): ChangedWords | undefined {
  if (old.length > MAX_CHARS || now.length > MAX_CHARS) return undefined;
  const spans: { old: Span[]; now: Span[] } = { old: [], now: [] };
  let oldAt = 0;
  let nowAt = 0;
  let shared = 0;
  for (const { value, added, removed } of diffWordsWithSpace(old, now)) {
    if (removed) oldAt = extend(spans.old, oldAt, value.length);
    else if (added) nowAt = extend(spans.now, nowAt, value.length);
    else {
      shared += value.trim().length;
      oldAt += value.length;
      nowAt += value.length;
    }
  }
  const length = Math.max(old.trim().length, now.trim().length);
  return shared > 0 && shared >= length * MIN_SHARED ? spans : undefined;
}

/** Neighbouring parts are merged. @returns the end of the new part. */
function extend(spans: Span[], from: number, length: number): number {
  const last = spans.at(-1);
  const to = from + length;
  if (last?.to === from) spans[spans.length - 1] = { from: last.from, to };
  else spans.push({ from, to });
  return to;
}
