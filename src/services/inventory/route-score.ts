import type { InventoryEntry } from "../../contracts/inventory.ts";

/** A word of the prompt that is the entry's name weighs more than one that only stands in its description. */
const NAME_WEIGHT = 5;
const PART_OF_NAME_WEIGHT = 3;
const SUMMARY_WEIGHT = 1;
const COMMON_WORDS: ReadonlySet<string> = new Set(
  "a an and are as at be by for from how i in is it me my of on or please that the this to what with you".split(" "),
);

/** How well an entry fits a prompt: 0 for no shared word. Deterministic. */
export function scoreEntry(entry: InventoryEntry, prompt: string): number {
  const name = entry.name.toLowerCase();
  const parts = new Set(words(entry.name.replace(/([a-z])([A-Z])/g, "$1 $2")));
  const summary = new Set(words(entry.summary));
  let score = 0;
  for (const word of new Set(words(prompt))) {
    if (word === name || word === stem(name)) score += NAME_WEIGHT;
    else if (parts.has(word)) score += PART_OF_NAME_WEIGHT;
    if (summary.has(word)) score += SUMMARY_WEIGHT;
  }
  return score;
}

function words(text: string): readonly string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return found.filter((word) => !COMMON_WORDS.has(word)).map(stem);
}

/** Enough for command and tool descriptions: plural, past and -ing forms of a word meet. */
function stem(word: string): string {
  if (word.length <= 3) return word;
  return (
    word
      .replace(/(ings?|ers?|ed|es|s)$/, "")
      .replace(/([^aeiou])\1$/, "$1")
      .replace(/e$/, "") || word
  );
}
