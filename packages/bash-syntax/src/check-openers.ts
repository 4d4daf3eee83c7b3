import { NotUnderstood } from "./not-understood.ts";
import type { Text } from "./reader.ts";
import { scanOpeners } from "./scan-openers.ts";

/**
 * Compares the starts of substitutions, expansions, here-documents and lines that our reader found with those that a
 * scan finds which knows only quotes.
 * @throws {NotUnderstood} one reader sees an opener that the other doesn't.
 */
export function checkOpeners(text: Text): void {
  const ours = text.openers.toSorted((a, b) => a.at - b.at);
  const scanned = scanOpeners(text);
  for (let index = 0; index < Math.max(ours.length, scanned.length); index += 1) {
    const a = ours[index];
    const b = scanned[index];
    if (a?.at === b?.at && a?.kind === b?.kind) continue;
    const at = Math.min(a?.at ?? text.source.length, b?.at ?? text.source.length);
    throw new NotUnderstood("two readings of the command disagree about its quotes", text.source.slice(at, at + 20));
  }
}
