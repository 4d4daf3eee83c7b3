import { type FuzzyMatch, fuzzyMatch, lowerCase, scoreWhole } from "../../contracts/fuzzy-match.ts";

/** Paths in an index: later ones are left out, so that memory stays bounded (about 40 MB). */
export const MAX_PATHS = 200_000;
/** After this time a search lets other work run, such as the handling of a key. */
const SLICE_MS = 8;
const CHECK_EVERY = 1_024;

export type FoundPath = FuzzyMatch & { readonly path: string };

export type PathSearch = {
  readonly max: number;
  /** Points for a path besides those of its letters. */
  readonly bonus: (path: string) => number;
  readonly signal: AbortSignal;
};

/** Paths relative to one folder; folders end with `/`. */
export class PathIndex {
  readonly #paths: string[] = [];
  /** In lower case; the same string where nothing differs. */
  readonly #lows: string[] = [];
  readonly #folders = new Set<string>();
  /** The paths, by index, that have the letters of the last query with gaps. */
  #narrowed: { readonly query: string; readonly indices: readonly number[]; readonly of: number } | undefined;

  /** Adds a file, and the folders in which it is. @returns false if the index is full. */
  add(file: string): boolean {
    if (this.#paths.length >= MAX_PATHS) return false;
    for (let slash = file.lastIndexOf("/"); slash > 0; slash = file.lastIndexOf("/", slash - 1)) {
      const folder = file.slice(0, slash + 1);
      if (this.#folders.has(folder)) break;
      this.#folders.add(folder);
      this.#push(folder);
    }
    this.#push(file);
    return true;
  }

  get paths(): readonly string[] {
    return this.#paths;
  }

  /**
   * The best matches of a query, the best first: paths that hold it as it is, and if they are few, paths that have its
   * letters with gaps. Works in slices of 8 ms and lets other work run between them.
   * @throws the abort reason of `signal`.
   */
  async search(query: string, search: PathSearch): Promise<readonly FoundPath[]> {
    const low = query.toLowerCase();
    const best = new Best(search.max);
    const all = this.#paths.length;
    await inSlices(all, search.signal, (at) => {
      const path = this.#paths[at] ?? "";
      const score = scoreWhole(low, path, this.#lows[at] ?? "");
      if (score >= 0) best.offer(path, score + search.bonus(path));
    });
    if (!best.isFull) await this.#searchGaps(low, best, search);
    return best.found.flatMap(({ path, score }) => {
      const match = fuzzyMatch(low, path);
      return match ? [{ path, score, marks: match.marks }] : [];
    });
  }

  async #searchGaps(low: string, best: Best, { bonus, signal }: PathSearch): Promise<void> {
    const before = this.#narrowed;
    const all = this.#paths.length;
    const narrow = before && before.of === all && low.startsWith(before.query) ? before.indices : undefined;
    const indices: number[] = [];
    await inSlices(narrow?.length ?? all, signal, (step) => {
      const at = narrow?.[step] ?? step;
      const path = this.#paths[at] ?? "";
      if (!hasLetters(low, this.#lows[at] ?? "")) return;
      indices.push(at);
      const match = fuzzyMatch(low, path);
      // What holds the query as it is was offered before.
      if (match && scoreWhole(low, path, this.#lows[at] ?? "") < 0) best.offer(path, match.score + bonus(path));
    });
    this.#narrowed = { query: low, indices, of: all };
  }

  #push(path: string): void {
    this.#paths.push(path);
    this.#lows.push(lowerCase(path));
  }
}

/** The best few, the best first. */
class Best {
  readonly found: { readonly path: string; readonly score: number }[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.found.length >= this.#max;
  }

  offer(path: string, score: number): void {
    if (this.isFull && (this.found.at(-1)?.score ?? 0) >= score) return;
    let at = this.found.length;
    while (at > 0 && (this.found[at - 1]?.score ?? 0) < score) at -= 1;
    this.found.splice(at, 0, { path, score });
    if (this.found.length > this.#max) this.found.pop();
  }
}

function hasLetters(low: string, text: string): boolean {
  let at = -1;
  for (let index = 0; index < low.length; index += 1) {
    at = text.indexOf(low.charAt(index), at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** Calls `step` for 0 … count - 1, and lets other work run every few milliseconds. @throws the abort reason. */
async function inSlices(count: number, signal: AbortSignal, step: (index: number) => void): Promise<void> {
  let end = performance.now() + SLICE_MS;
  for (let index = 0; index < count; index += 1) {
    if (index % CHECK_EVERY === 0 && performance.now() > end) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      end = performance.now() + SLICE_MS;
    }
    step(index);
  }
}
