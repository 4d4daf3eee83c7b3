import { LRUCache } from "lru-cache";

/** Files tracked in one conversation. The least recently used is evicted first and must be read again. */
const MAX_FILES = 1_000;
const MAX_RANGES_A_FILE = 50;
const MAX_LINES_A_FILE = 2_000;

export type KnownState = {
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the whole content; undefined for a file too large to be hashed. */
  readonly hash: string | undefined;
};

type KnownFile = KnownState & {
  /** The tool through which the model knows the file. Read answers "unchanged" only for content that Read showed. */
  readonly madeBy: "read" | "write" | "edit" | "grep";
  /** For a file known only through Grep: the numbers of the lines that the model has seen whole. */
  readonly lines?: ReadonlySet<number>;
  /** The ranges of this state that Read showed, as `offset:limit`. */
  readonly ranges: ReadonlySet<string>;
};

/** Tracks which file contents the model has seen in one conversation. Cleared when the conversation is cleared or compacted. */
export class ReadTracker {
  readonly #files: LRUCache<string, KnownFile>;

  constructor(maxFiles = MAX_FILES) {
    this.#files = new LRUCache({ max: maxFiles });
  }

  /** @param path Absolute and resolved. */
  get(path: string): KnownFile | undefined {
    return this.#files.get(path);
  }

  /** Records that Read showed a range of the file in this state. */
  noteRead(path: string, state: KnownState, range: string): void {
    const known = this.#files.get(path);
    const ranges = known?.madeBy === "read" && isSameKnown(known, state) ? [...known.ranges] : [];
    this.#files.set(path, {
      ...state,
      madeBy: "read",
      ranges: new Set([...ranges.slice(1 - MAX_RANGES_A_FILE), range]),
    });
  }

  /** Records that Grep, or an Edit after it, showed some lines of this state. Better knowledge (read, written, edited) is kept. */
  noteLines(path: string, state: KnownState, lines: Iterable<number>): void {
    const known = this.#files.get(path);
    const isSame = known !== undefined && isSameKnown(known, state);
    if (isSame && known.madeBy !== "grep") return;
    const seen = [...(isSame ? (known.lines ?? []) : []), ...lines];
    this.#files.set(path, {
      ...state,
      madeBy: "grep",
      ranges: new Set(),
      lines: new Set(seen.slice(-MAX_LINES_A_FILE)),
    });
  }

  /** Records that Write or Edit created this state. */
  noteMade(path: string, state: KnownState, madeBy: "write" | "edit"): void {
    this.#files.set(path, { ...state, madeBy, ranges: new Set() });
  }

  /** Removes a shown range, so that the next Read shows it again. */
  dropRange(path: string, range: string): void {
    const known = this.#files.get(path);
    if (known)
      this.#files.set(path, { ...known, ranges: new Set([...known.ranges].filter((other) => other !== range)) });
  }

  clear(): void {
    this.#files.clear();
  }
}

/**
 * Whether the model knows the current state of a file. Hashes decide where both are known: some file systems change the
 * time without a change of content, and a change of content may leave time and size alone.
 */
export function isSameKnown(known: KnownState, now: KnownState): boolean {
  if (known.hash !== undefined && now.hash !== undefined) return known.hash === now.hash;
  return known.modifiedMs === now.modifiedMs && known.size === now.size;
}
