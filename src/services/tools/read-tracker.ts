import { LRUCache } from "lru-cache";
import type { KnownContent, ResultFacts } from "../../contracts/result-facts.ts";
import { CreatedFiles } from "../../platform/created-files.ts";

/** Files tracked in one conversation. The least recently used is evicted first and must be read again. */
const MAX_FILES = 1_000;
const MAX_RANGES_A_FILE = 50;
const MAX_LINES_A_FILE = 2_000;
/** Moments of a conversation to which its knowledge of files can go back; older ones are dropped. */
const MAX_MOMENTS = 50;

export type KnownState = {
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the whole content; undefined for a file too large to be hashed. */
  readonly hash: string | undefined;
};

/** Hides the hash of a content, which names it in the log: nobody can check a guess at a secret in the file with it. */
type Seal = (hash: string) => string;

type KnownFile = KnownState & {
  /** Set if `hash` is sealed, as in the log. */
  readonly seal?: Seal;
  /** The tool through which the model knows the file. Read answers "unchanged" only for content that Read showed. */
  readonly madeBy: "read" | "write" | "edit" | "grep" | "bash";
  /** For a file known only through Grep: the numbers of the lines that the model has seen completely. */
  readonly lines?: ReadonlySet<number>;
  /** The ranges of this state that Read showed, as `offset:limit`, each with the id of the call that showed it. */
  readonly ranges: ReadonlyMap<string, string>;
};

type ShownRange = { readonly range: string; readonly toolUseId: string };

/** Tracks which file contents the model has seen in one conversation. Cleared when the conversation is cleared. */
export class ReadTracker {
  readonly #files: LRUCache<string, KnownFile>;
  /** The files that were known at an entry of the conversation, the least recently used first. */
  readonly #moments = new LRUCache<string, readonly (readonly [string, KnownFile])[]>({ max: MAX_MOMENTS });

  /** The files that the model created: of the whole session, with its agents. */
  readonly created: CreatedFiles;

  readonly #seal: Seal;

  constructor(maxFiles = MAX_FILES, created = new CreatedFiles(), seal: Seal = (hash) => hash) {
    this.created = created;
    this.#seal = seal;
    this.#files = new LRUCache({ max: maxFiles });
  }

  /** @param path Absolute and resolved. */
  get(path: string): KnownFile | undefined {
    return this.#files.get(path);
  }

  /** The paths of the files that were used last, most recent first. */
  recent(max: number): readonly string[] {
    return [...this.#files.keys()].slice(0, max);
  }

  /** The fact of a result that the model now knows this state of a file; none for a file too large to be hashed. */
  factOf(path: string, { hash }: KnownState): Pick<ResultFacts, "knows"> {
    return hash === undefined ? {} : { knows: { path, hash: this.#seal(hash) } };
  }

  /** Records that a call of Read showed a range of the file in this state. */
  noteRead(path: string, state: KnownState, { range, toolUseId }: ShownRange): void {
    const known = this.#files.get(path);
    const ranges = known?.madeBy === "read" && isSameKnown(known, state) ? [...known.ranges] : [];
    this.#files.set(path, {
      ...state,
      madeBy: "read",
      ranges: new Map([...ranges.slice(1 - MAX_RANGES_A_FILE), [range, toolUseId]]),
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
      ranges: new Map(),
      lines: new Set(seen.slice(-MAX_LINES_A_FILE)),
    });
  }

  /** Records that Write or Edit created this state. */
  noteMade(path: string, state: KnownState, madeBy: "write" | "edit"): void {
    this.#files.set(path, { ...state, madeBy, ranges: new Map() });
    this.created.changed(path, state);
  }

  /** Records that a command showed the whole of this state. If the same state is already known, its record stays. */
  noteShown(path: string, state: KnownState): void {
    const known = this.#files.get(path);
    if (known && known.madeBy !== "grep" && isSameKnown(known, state)) return;
    this.#files.set(path, { ...state, madeBy: "bash", ranges: new Map() });
  }

  /** Removes a shown range, so that the next Read shows it again. */
  dropRange(path: string, range: string): void {
    const known = this.#files.get(path);
    if (known) this.#files.set(path, { ...known, ranges: without(known.ranges, (other) => other === range) });
  }

  /** Call this when the model no longer sees the results of these calls: Read then shows the same lines again. */
  forgetResults(toolUseIds: ReadonlySet<string>): void {
    for (const [path, known] of [...this.#files.entries()]) {
      const ranges = without(known.ranges, (_, id) => toolUseIds.has(id));
      if (ranges.size < known.ranges.size) this.#files.set(path, { ...known, ranges });
    }
  }

  /** Keeps what is known now, for a conversation that returns to this entry. */
  keepMoment(entryId: string): void {
    this.#moments.set(entryId, [...this.#files.entries()]);
  }

  /**
   * The conversation was moved or resumed: what is known is what was known at the newest kept moment among its entries,
   * without one what its results name. Read shows each range again, because its result may have left the conversation.
   * @param entryIds Oldest first.
   * @param named Oldest first.
   */
  returnTo(entryIds: readonly string[], named: readonly KnownContent[] = []): void {
    this.#files.clear();
    const at = entryIds.findLast((id) => this.#moments.has(id));
    const known =
      at === undefined ? named.map((one) => knownFile(one, this.#seal)) : (this.#moments.get(at) ?? []).toReversed();
    for (const [path, file] of known) this.#files.set(path, { ...file, ranges: new Map() });
  }
}

/** Only the hash tells whether the file still has this content. */
function knownFile({ path, hash }: KnownContent, seal: Seal): readonly [string, KnownFile] {
  return [path, { modifiedMs: Number.NaN, size: Number.NaN, hash, seal, madeBy: "read", ranges: new Map() }];
}

/**
 * True if the model knows the current state of a file. If both hashes are known, they decide: some file systems
 * change the time without a change of content, and a change of content may keep time and size.
 */
export function isSameKnown(known: KnownState & Pick<KnownFile, "seal">, now: KnownState): boolean {
  if (known.hash !== undefined && now.hash !== undefined)
    return known.hash === (known.seal ? known.seal(now.hash) : now.hash);
  return known.modifiedMs === now.modifiedMs && known.size === now.size;
}

function without(
  ranges: KnownFile["ranges"],
  isGone: (range: string, toolUseId: string) => boolean,
): ReadonlyMap<string, string> {
  return new Map([...ranges].filter(([range, id]) => !isGone(range, id)));
}
