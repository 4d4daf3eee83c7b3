import type { InventoryEntry } from "../../contracts/inventory.ts";
import { searchWords, stemOf } from "../../contracts/search-words.ts";

/**
 * A word of the prompt that is part of the entry's name has more weight than a word that is only in its description.
 */
const NAME_WEIGHT = 5;
const PART_OF_NAME_WEIGHT = 3;
const SUMMARY_WEIGHT = 1;

/** How well an entry fits a prompt: 0 for no shared word. Deterministic. */
export function scoreEntry(entry: InventoryEntry, prompt: string): number {
  const name = entry.name.toLowerCase();
  const parts = new Set(searchWords(entry.name));
  const summary = new Set(searchWords(entry.summary));
  let score = 0;
  for (const word of new Set(searchWords(prompt))) {
    if (word === name || word === stemOf(name)) score += NAME_WEIGHT;
    else if (parts.has(word)) score += PART_OF_NAME_WEIGHT;
    if (summary.has(word)) score += SUMMARY_WEIGHT;
  }
  return score;
}
