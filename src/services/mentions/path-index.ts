import {
  type FuzzyMatch,
  fuzzyMatch,
  lastPart,
  letterBits,
  lowerCase,
  mostForGaps,
  scoreGaps,
  scoreWhole,
} from "../../contracts/fuzzy-match.ts";

/** The maximum number of paths in an index, so that memory stays bounded (about 40 MB). */
export const MAX_PATHS = 200_000;
/** After this time a search lets other work run, such as handling a key. */
const SLICE_MS = 8;
const CHECK_EVERY = 1_024;

export type FoundPath = FuzzyMatch & { readonly path: string };

export type PathSearch = {
  readonly max: number;
  /** Additional points for a path, besides those for its letters. */
  readonly bonus: (path: string) => number;
  readonly signal: AbortSignal;
};

/** Paths relative to one folder; folders end with `/`. */
export class PathIndex {
  readonly #paths: string[] = [];
  /** The paths in lower case; the same string if there is no difference. */
  readonly #lows: string[] = [];
  /** The letter bits of each path, with which paths are skipped without examining them. */
  readonly #bits: number[] = [];
  /** The letter bits of the last part of each path. */
  readonly #nameBits: number[] = [];
  readonly #folders = new Set<string>();
  readonly #maxPaths: number;
  /** The indices of the paths that contain the letters of the last query in order. */
  #narrowed: { readonly query: string; readonly indices: readonly number[]; readonly of: number } | undefined;

  constructor(maxPaths = MAX_PATHS) {
    this.#maxPaths = maxPaths;
  }

  /** Adds a file and its parent folders. @returns false if the index is full. */
  add(file: string): boolean {
    if (this.#paths.length >= this.#maxPaths) return false;
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
   * The best matches of a query, best first: paths that contain it as a whole, and if they are few, paths that contain
   * its letters with gaps. Works in slices of 8 ms and lets other work run between them.
   * @throws the abort reason of `signal`.
   */
  async search(query: string, search: PathSearch): Promise<readonly FoundPath[]> {
    const low = query.toLowerCase();
    const best = new Best(search.max);
    const all = this.#paths.length;
    const bits = letterBits(low);
    const narrowed = this.#narrowedFor(low);
    const whole: number[] = [];
    const others: number[] = [];
    await inSlices(narrowed?.length ?? all, search.signal, (step) => {
      const at = narrowed?.[step] ?? step;
      if (((this.#bits[at] ?? 0) & bits) !== bits) return;
      const text = this.#lows[at] ?? "";
      if (!text.includes(low)) {
        others.push(at);
        return;
      }
      if (whole.length < search.max) whole.push(at);
      const path = this.#paths[at] ?? "";
      best.offer(path, scoreWhole(low, path, text) + search.bonus(path));
    });
    if (!best.isFull) {
      const gaps = await this.#searchGaps(low, others, best, search);
      this.#narrowed = { query: low, indices: [...whole, ...gaps], of: all };
    }
    return best.found.flatMap(({ path, score }) => {
      const match = fuzzyMatch(low, path);
      return match ? [{ path, score, marks: match.marks }] : [];
    });
  }

  /**
   * Offers the paths that have the letters with gaps.
   * @param others The indices of the candidate paths, without those that contain the query as a whole.
   * @returns the possible matches: a path that can't reach the list any more is skipped.
   */
  async #searchGaps(
    low: string,
    others: readonly number[],
    best: Best,
    { bonus, signal }: PathSearch,
  ): Promise<readonly number[]> {
    const found: number[] = [];
    const marks: number[] = [];
    const bits = letterBits(low);
    const most = mostForGaps(low);
    await inSlices(others.length, signal, (step) => {
      const at = others[step] ?? 0;
      const path = this.#paths[at] ?? "";
      const text = this.#lows[at] ?? "";
      const isPlain = ((this.#nameBits[at] ?? 0) & bits) !== bits && path === text;
      const isBelow = isPlain && most - path.length / 8 + bonus(path) <= best.least;
      const score = isBelow ? 0 : scoreGaps(low, path, text, marks);
      if (score < 0) return;
      found.push(at);
      if (isBelow) return;
      best.offer(path, score + bonus(path));
    });
    return found;
  }

  /** The indices of the paths that may contain the letters of a query; undefined for all. */
  #narrowedFor(low: string): readonly number[] | undefined {
    const before = this.#narrowed;
    return before && before.of === this.#paths.length && low.startsWith(before.query) ? before.indices : undefined;
  }

  #push(path: string): void {
    this.#paths.push(path);
    const low = lowerCase(path);
    this.#lows.push(low);
    const part = lastPart(low);
    const nameBits = letterBits(low, part);
    this.#nameBits.push(nameBits);
    this.#bits.push(nameBits | letterBits(low, 0, part));
  }
}

/** Collects the best few matches, best first. */
export class Best {
  readonly found: { readonly path: string; readonly score: number }[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.found.length >= this.#max;
  }

  /** A path with this score, or with fewer points, is not taken. */
  get least(): number {
    return this.isFull ? (this.found.at(-1)?.score ?? 0) : Number.NEGATIVE_INFINITY;
  }

  offer(path: string, score: number): void {
    if (score <= this.least) return;
    let at = this.found.length;
    while (at > 0 && (this.found[at - 1]?.score ?? 0) < score) at -= 1;
    this.found.splice(at, 0, { path, score });
    if (this.found.length > this.#max) this.found.pop();
  }
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
