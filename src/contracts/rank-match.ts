/** The texts of an entry of a list, in lower case. */
export type RankedTexts = {
  readonly title: string;
  /** Texts that are shown beside the title, or that describe the entry. */
  readonly more: string;
  /** Matches only from its beginning. */
  readonly id: string;
};

const [EXACT, BEGINS, INSIDE, ID, MORE] = [0, 1, 2, 3, 10];
const LETTER = /[\p{L}\p{N}]/u;

/**
 * The rank of an entry for some words: lower is better. Whole words of the title come first, then beginnings of its words,
 * other parts of it, ids, and other texts.
 * @param words In lower case.
 * @returns undefined if a word is nowhere in the entry.
 */
export function rankMatch(words: readonly string[], texts: RankedTexts): number | undefined {
  let sum = 0;
  for (const word of words) {
    const rank = rankOf(word, texts);
    if (rank === undefined) return undefined;
    sum += rank;
  }
  return sum;
}

/** The entries that fit the words, the best first; entries that fit equally well keep their order. */
export function rankedMatches<Entry>(
  words: readonly string[],
  all: readonly Entry[],
  textsOf: (entry: Entry) => RankedTexts,
): readonly Entry[] {
  return ranked(all, (entry) => rankMatch(words, textsOf(entry)));
}

/**
 * The entries that fit the words, the best first: whole names, beginnings of the first name, parts of all names, then
 * other texts.
 * @param words In lower case.
 */
export function rankedByName<Entry>(
  words: readonly string[],
  all: readonly Entry[],
  textsOf: (entry: Entry) => NamedTexts,
): readonly Entry[] {
  return ranked(all, (entry) => {
    const texts = textsOf(entry);
    return words.reduce((sum: number | undefined, word) => {
      const rank = nameRank(word, texts);
      return sum === undefined || rank === undefined ? undefined : sum + rank;
    }, 0);
  });
}

/** In lower case. */
export type NamedTexts = { readonly names: readonly string[]; readonly more: string };

function nameRank(word: string, { names, more }: NamedTexts): number | undefined {
  if (names.includes(word)) return EXACT;
  if (names[0]?.startsWith(word)) return BEGINS;
  if (names.some((name) => name.includes(word))) return INSIDE;
  return more.includes(word) ? MORE : undefined;
}

function ranked<Entry>(all: readonly Entry[], rankOf: (entry: Entry) => number | undefined): readonly Entry[] {
  const found = all.flatMap((entry) => {
    const rank = rankOf(entry);
    return rank === undefined ? [] : [{ entry, rank }];
  });
  return found.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
}

/** Words in lower case. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function rankOf(word: string, { title, more, id }: RankedTexts): number | undefined {
  const inTitle = titleRank(word, title);
  if (inTitle !== undefined) return inTitle;
  if (id.startsWith(word)) return ID;
  return more.includes(word) ? MORE : undefined;
}

function titleRank(word: string, title: string): number | undefined {
  let best: number | undefined;
  for (let at = title.indexOf(word); at >= 0 && best !== EXACT; at = title.indexOf(word, at + 1)) {
    const isStart = at === 0 || !LETTER.test(title[at - 1] ?? "");
    const isEnd = !LETTER.test(title[at + word.length] ?? "");
    best = Math.min(best ?? INSIDE, isStart ? (isEnd ? EXACT : BEGINS) : INSIDE);
  }
  return best;
}
