const COMMON_WORDS: ReadonlySet<string> = new Set(
  "a an and are as at be by for from how i in is it me my of on or please that the this to what with you".split(" "),
);
const WORD = /[\p{L}\p{N}]+/gu;
/** Matches the scripts that put no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/**
 * The words of a text in the form that a search compares: in lower case, stemmed, without common English words.
 * `createTicket` and `create_ticket` are two words. Chinese, Japanese and Korean text is split into pairs of
 * neighbouring characters.
 */
export function searchWords(text: string): readonly string[] {
  const spaced = text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").toLowerCase();
  const pairs = [...spaced.matchAll(UNSPACED)].flatMap(([run]) => pairsOf(run));
  const words = spaced.replace(UNSPACED, " ").match(WORD) ?? [];
  return [...words.filter((word) => !COMMON_WORDS.has(word)).map(stemOf), ...pairs];
}

/** True if an English word in lower case is too common to distinguish texts. */
export function isCommonWord(word: string): boolean {
  return COMMON_WORDS.has(word);
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** Reduces the plural, past and -ing forms of an English word to one stem. */
export function stemOf(word: string): string {
  if (word.length <= 3) return word;
  return (
    word
      .replace(/(ings?|ers?|ed|es|s)$/, "")
      .replace(/([^aeiou])\1$/, "$1")
      .replace(/e$/, "") || word
  );
}
