/** The maximum number of listed matches. */
const MAX_FOUND = 200;

/** A search of earlier inputs. */
export type HistorySearch = {
  /** Words that an entry must contain. */
  readonly words: string;
  /** The selected match; 0 is the newest. */
  readonly index: number;
  /** True if the inputs of other projects are searched too. */
  readonly isEverywhere: boolean;
  /** The inputs of other projects, newest first; undefined until they are read. */
  readonly others: readonly string[] | undefined;
};

export const emptySearch: HistorySearch = { words: "", index: 0, isEverywhere: false, others: undefined };

/**
 * The distinct entries that contain each word, newest first.
 * @param entries All entries, oldest first.
 * @param textOf An entry with its pastes.
 */
export function foundEntries(
  { words, isEverywhere, others = [] }: HistorySearch,
  entries: readonly string[],
  textOf: (entry: string) => string = (entry) => entry,
): readonly string[] {
  const wanted = words.toLowerCase().split(/\s+/);
  const found = new Set<string>();
  for (const entry of [...entries.toReversed(), ...(isEverywhere ? others : [])]) {
    const text = textOf(entry).toLowerCase();
    if (wanted.every((word) => text.includes(word))) found.add(entry);
    if (found.size === MAX_FOUND) break;
  }
  return [...found];
}
