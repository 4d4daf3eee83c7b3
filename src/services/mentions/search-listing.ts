import { fuzzyMatch, letterBits, lowerCase } from "../../contracts/fuzzy-match.ts";
import { Best, type FoundPath, type PathSearch } from "./path-index.ts";

/** Lists files; `onFile` returns false to end the listing. @returns true if the listing is complete. */
export type ListPaths = (onFile: (path: string) => boolean, signal: AbortSignal) => Promise<boolean>;

/**
 * The best matches of a query among the files of a listing, of which only these are kept: for a folder with more files
 * than an index takes.
 */
export async function searchListing(
  query: string,
  list: ListPaths,
  { max, bonus, signal }: PathSearch,
): Promise<{ readonly found: readonly FoundPath[]; readonly isWhole: boolean }> {
  const low = query.toLowerCase();
  const bits = letterBits(low);
  const best = new Best(max);
  const isWhole = await list((path) => {
    if ((letterBits(lowerCase(path)) & bits) !== bits) return true;
    const match = fuzzyMatch(low, path);
    if (match) best.offer(path, match.score + bonus(path));
    return true;
  }, signal);
  const found = best.found.flatMap(({ path, score }) => {
    const match = fuzzyMatch(low, path);
    return match ? [{ path, score, marks: match.marks }] : [];
  });
  return { found, isWhole };
}
