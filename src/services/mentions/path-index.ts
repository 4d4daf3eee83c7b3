import { type FuzzyMatch, fuzzyMatch } from "../../contracts/fuzzy-match.ts";

/** The maximum number of paths in an index, so that memory stays bounded (about 20 MB). */
export const MAX_PATHS = 200_000;
/** After this time a search lets other work run, such as handling a key. */
const SLICE_MS = 8;
const CHECK_EVERY = 256;

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
  readonly #folders = new Set<string>();
  readonly #maxPaths: number;

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
      this.#paths.push(folder);
    }
    this.#paths.push(file);
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
  async search(query: string, { max, bonus, signal }: PathSearch): Promise<readonly FoundPath[]> {
    const low = query.toLowerCase();
    const whole = new Best(max);
    const others = new Best(max);
    let end = performance.now() + SLICE_MS;
    for (let at = 0, count = this.#paths.length; at < count; at += 1) {
      if (at % CHECK_EVERY === 0 && performance.now() > end) {
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
        end = performance.now() + SLICE_MS;
      }
      const path = this.#paths[at] ?? "";
      const match = fuzzyMatch(low, path);
      if (!match) continue;
      const isWhole = (match.marks.at(-1) ?? 0) - (match.marks[0] ?? 0) === low.length - 1;
      (isWhole ? whole : others).offer({ path, score: match.score + bonus(path), marks: match.marks });
    }
    return whole.found.length >= max ? whole.found : bestOf([...whole.found, ...others.found], max);
  }
}

/** The best first; equally good ones keep their order. */
export function bestOf(found: readonly FoundPath[], max: number): readonly FoundPath[] {
  return found.toSorted((a, b) => b.score - a.score).slice(0, max);
}

/** Collects the best few matches. */
export class Best {
  #kept: FoundPath[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get found(): readonly FoundPath[] {
    return bestOf(this.#kept, this.#max);
  }

  offer(match: FoundPath): void {
    this.#kept.push(match);
    if (this.#kept.length >= 8 * this.#max) this.#kept = [...this.found];
  }
}
