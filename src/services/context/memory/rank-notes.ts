import type { MemoryNote } from "../../../contracts/memory.ts";
import { searchWords } from "../../../contracts/search-words.ts";

const NAME_WEIGHT = 3;
const DESCRIPTION_WEIGHT = 2;
const BODY_WEIGHT = 1;
/** The minimum number of body words that must match if neither name nor description has a match. */
const MIN_BODY_WORDS = 3;
/** Notes that fit much worse than the best are left out. */
const MIN_SHARE_OF_BEST = 0.3;
const MIN_WORD_CHARS = 3;
/** The maximum length of text that is ranked; longer texts are ranked by their beginning. */
const MAX_RANKED_CHARS = 20_000;
/** Words of almost every prompt about code: they don't indicate which note is meant. */
const WEAK_WORDS: ReadonlySet<string> = new Set(
  searchWords(
    "about add after all also always any before both but can change code could do file files fix get go has have here into it its let like just look make more need never new no not note now of off only our out please remember run see set should show so some than then there they use want was we when where which why will work would write you your",
  ),
);

type RankedNote = Pick<MemoryNote, "name" | "description" | "body">;

/**
 * The notes that match a text, best first: ranked by the shared words, of which rare words weigh more, and words of the
 * name and the description more than those of the body. No model is asked.
 * @param isLoose True if one matching word of the body is enough, as in a search.
 */
export function rankNotes<Note extends RankedNote>(
  text: string,
  notes: readonly Note[],
  { isLoose = false }: { readonly isLoose?: boolean } = {},
): readonly Note[] {
  const words = [...new Set(searchWords(text.slice(0, MAX_RANKED_CHARS)))].filter((word) => isLoose || isTelling(word));
  const parsed = notes.map((note) => ({ note, parts: partsOf(note) }));
  const rarity = new Map(
    words.map((word) => {
      const holders = parsed.filter(({ parts }) => parts.some((part) => part.words.has(word))).length;
      return [word, Math.log(1 + notes.length / Math.max(1, holders))];
    }),
  );
  const scored = parsed
    .filter(({ parts }) => isMeant(words, parts, isLoose))
    .map(({ note, parts }) => ({
      note,
      score: words.reduce((sum, word) => sum + weightOf(word, parts) * (rarity.get(word) ?? 0), 0),
    }))
    .sort((a, b) => b.score - a.score);
  const least = (scored[0]?.score ?? 0) * (isLoose ? 0 : MIN_SHARE_OF_BEST);
  return scored.filter(({ score }) => score >= least).map(({ note }) => note);
}

type Parts = readonly { readonly weight: number; readonly words: ReadonlySet<string> }[];

function partsOf({ name, description, body }: RankedNote): Parts {
  return [
    { weight: NAME_WEIGHT, words: new Set(searchWords(name)) },
    { weight: DESCRIPTION_WEIGHT, words: new Set(searchWords(description)) },
    { weight: BODY_WEIGHT, words: new Set(searchWords(body.slice(0, MAX_RANKED_CHARS))) },
  ];
}

function isMeant(words: readonly string[], parts: Parts, isLoose: boolean): boolean {
  const found = words.filter((word) => weightOf(word, parts) > 0);
  if (found.length === 0) return false;
  return isLoose || found.length >= MIN_BODY_WORDS || found.some((word) => weightOf(word, parts) > BODY_WEIGHT);
}

/** The weight of the best part that contains a word; 0 if none does. */
function weightOf(word: string, parts: Parts): number {
  return parts.find((part) => part.words.has(word))?.weight ?? 0;
}

function isTelling(word: string): boolean {
  const isUnspaced = /[^\p{ASCII}]/u.test(word);
  return (isUnspaced || word.length >= MIN_WORD_CHARS) && !WEAK_WORDS.has(word);
}
