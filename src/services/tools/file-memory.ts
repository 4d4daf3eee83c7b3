import { LRUCache } from "lru-cache";

/** Files remembered in one conversation; the least recently used is forgotten first and must be read again. */
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
  /** Whose work the model's knowledge is: only what Read showed can be called "unchanged". */
  readonly madeBy: "read" | "write" | "edit" | "grep";
  /** Of a file that only Grep showed: the numbers of the lines that the model has seen whole. */
  readonly lines?: ReadonlySet<number>;
  /** The ranges that Read showed of this state, as `offset:limit`. */
  readonly ranges: ReadonlySet<string>;
};

/** What the model has seen of files in one conversation. Emptied when the conversation is cleared or compacted. */
export class FileMemory {
  readonly #files: LRUCache<string, KnownFile>;

  constructor(maxFiles = MAX_FILES) {
    this.#files = new LRUCache({ max: maxFiles });
  }

  /** @param path Absolute and resolved. */
  get(path: string): KnownFile | undefined {
    return this.#files.get(path);
  }

  /** Read showed a range of the file in this state. */
  noteRead(path: string, state: KnownState, range: string): void {
    const known = this.#files.get(path);
    const ranges = known?.madeBy === "read" && isSameKnown(known, state) ? [...known.ranges] : [];
    this.#files.set(path, {
      ...state,
      madeBy: "read",
      ranges: new Set([...ranges.slice(1 - MAX_RANGES_A_FILE), range]),
    });
  }

  /** Grep, or an Edit after it, showed some lines of the file in this state; what is known better stays. */
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

  /** Write or Edit made this state. */
  noteMade(path: string, state: KnownState, madeBy: "write" | "edit"): void {
    this.#files.set(path, { ...state, madeBy, ranges: new Set() });
  }

  /** Forgets that a range was shown, so that the next Read of it shows it again. */
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
 * Whether the model knows a file as it is now. Content decides where both are known, since some file systems touch the time
 * without a change, and a change may leave time and size as they were.
 */
export function isSameKnown(known: KnownState, now: KnownState): boolean {
  if (known.hash !== undefined && now.hash !== undefined) return known.hash === now.hash;
  return known.modifiedMs === now.modifiedMs && known.size === now.size;
}
