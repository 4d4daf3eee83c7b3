import { basename } from "node:path";
import { WEB_FETCH, WEB_SEARCH } from "../../../contracts/web.ts";
import type { FoundResult } from "./found-results.ts";
import { fileOf } from "./found-results.ts";
import { supersededResults } from "./superseded-results.ts";

/** The content of a file is needed again more often than other results, so it ages more slowly by this factor. */
const READ_AGING = 0.45;
/** Pages of the web are cleared before anything else: little of a page is needed, and it can be read again. */
const WEB_AGING = 1_000_000;
const WEB_TOOLS: ReadonlySet<string> = new Set([WEB_FETCH, WEB_SEARCH]);
/** A shorter name of a file occurs in calls that are not about the file. */
const MIN_NAME_CHARS = 4;

export type OrderedResult = FoundResult & {
  /** The id of a later call that repeats this call; undefined if none does. */
  readonly again: string | undefined;
};

/**
 * The results, the least useful first: those that a later call repeats, then pages of the web, then the oldest. A result about a file is as
 * old as the last call that names the file.
 * @param end The number of messages.
 */
export function leastUsefulFirst(results: readonly FoundResult[], end: number): readonly OrderedResult[] {
  const superseded = supersededResults(results);
  const touched = lastTouches(results);
  const weights = new Map(
    results.map((result) => {
      const at = Math.max(result.index, touched.get(fileOf(result.use) ?? "") ?? 0);
      return [result, superseded.has(result) ? Number.POSITIVE_INFINITY : (end - at) * agingOf(result)];
    }),
  );
  const weightOf = (result: FoundResult) => weights.get(result) ?? 0;
  return results
    .toSorted((a, b) => order(weightOf(a), weightOf(b)) || a.index - b.index)
    .map((result) => ({ ...result, again: superseded.get(result) }));
}

function agingOf({ use }: FoundResult): number {
  if (use !== undefined && WEB_TOOLS.has(use.name)) return WEB_AGING;
  return use?.name === "Read" ? READ_AGING : 1;
}

/** Sorts the largest first; two infinite values are equal. */
function order(a: number, b: number): number {
  return a === b ? 0 : b - a;
}

/** The index of the last call about each file: of a call with its path, or of another call whose input names it. */
function lastTouches(results: readonly FoundResult[]): ReadonlyMap<string, number> {
  const touched = new Map<string, number>();
  const others: { readonly text: string; readonly index: number }[] = [];
  for (const { use, index } of results) {
    const file = fileOf(use);
    if (file !== undefined) touched.set(file, index);
    else if (use) others.push({ text: JSON.stringify(use.input), index });
  }
  for (const [file, index] of touched) {
    const name = basename(file);
    if (name.length < MIN_NAME_CHARS) continue;
    const last = others.findLast((other) => other.index > index && other.text.includes(name));
    if (last) touched.set(file, last.index);
  }
  return touched;
}
