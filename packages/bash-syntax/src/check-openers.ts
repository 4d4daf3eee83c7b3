import { NotUnderstood } from "./not-understood.ts";
import type { Text } from "./reader.ts";
import { scanOpeners } from "./scan-openers.ts";

/**
 * Compares what our reader took for the start of a substitution, an expansion, a here-document or a new line with what a scan that
 * knows quotes alone finds.
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
