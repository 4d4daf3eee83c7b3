import type { InventoryEntry } from "../../contracts/inventory.ts";
import { searchWords, stemOf } from "../../contracts/search-words.ts";

/**
 * A prompt begins with what is to be done: "find the bug" wants a search, and not the command /bug. So its first word
 * has more weight in an entry's name, or as the first word of its description, than any other word.
 */
const NAME_WEIGHT = 5;
const PART_OF_NAME_WEIGHT = 3;
const NAME_LATER_WEIGHT = 1;
const SUMMARY_WEIGHT = 1;
const VERB_WEIGHT = 2;

/** How well an entry fits a prompt: 0 for no shared word. Deterministic. */
export function scoreEntry(entry: InventoryEntry, prompt: string): number {
  const name = entry.name.toLowerCase();
  const parts = new Set(searchWords(entry.name));
  const [verb, ...others] = searchWords(entry.summary);
  const summary = new Set([verb, ...others]);
  const words = new Set(searchWords(prompt));
  const [first] = words;
  let score = first !== undefined && first === verb && words.size > 1 ? VERB_WEIGHT : 0;
  for (const word of words) {
    if (word === name || word === stemOf(name)) score += word === first ? NAME_WEIGHT : NAME_LATER_WEIGHT;
    else if (parts.has(word)) score += PART_OF_NAME_WEIGHT;
    if (summary.has(word)) score += SUMMARY_WEIGHT;
  }
  return score;
}
