import type { DiffHunk } from "../../../contracts/display.ts";

/** One line of a diff with its number: in the old file for removed lines, in the new file for others. */
export type NumberedLine = {
  readonly number: number;
  /** The line's number in the old file. */
  readonly oldNumber: number;
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
};

/** An old line and the line that stands in its place; one of them is missing where lines were only added or removed. */
export type LinePair = readonly [old: NumberedLine | undefined, now: NumberedLine | undefined];

/** The lines of a hunk with their numbers. */
export function numberedLines({ oldStart, newStart, lines }: DiffHunk): readonly NumberedLine[] {
  let old = oldStart;
  let now = newStart;
  return lines.map(({ kind, text }) => {
    const numbered = { number: kind === "removed" ? old : now, oldNumber: old, kind, text };
    if (kind !== "added") old += 1;
    if (kind !== "removed") now += 1;
    return numbered;
  });
}

/** Finds the lines that replace each other; absent until its code is loaded. */
export type MatchLines = (
  old: readonly string[],
  now: readonly string[],
) => readonly (readonly [old: number, now: number])[];

/** Removed lines next to their replacements; unchanged lines on both sides. */
export function linePairs(lines: readonly NumberedLine[], match: MatchLines = () => []): readonly LinePair[] {
  const pairs: LinePair[] = [];
  let removed: NumberedLine[] = [];
  let added: NumberedLine[] = [];
  const flush = () => {
    pairs.push(...pairsOfChange(removed, added, match));
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "added") added.push(line);
    else {
      if (line.kind === "same" || added.length > 0) flush();
      if (line.kind === "same") pairs.push([{ ...line, number: line.oldNumber }, line]);
      else removed.push(line);
    }
  }
  flush();
  return pairs;
}

/** Lines between two matches are paired in their order. */
function pairsOfChange(
  removed: readonly NumberedLine[],
  added: readonly NumberedLine[],
  match: MatchLines,
): readonly LinePair[] {
  const pairs: LinePair[] = [];
  const texts = (lines: readonly NumberedLine[]) => lines.map(({ text }) => text);
  let old = 0;
  let now = 0;
  for (const [nextOld, nextNow] of [...match(texts(removed), texts(added)), [removed.length, added.length] as const]) {
    const height = Math.max(nextOld - old, nextNow - now);
    for (let at = 0; at < height; at += 1)
      pairs.push([
        old + at < nextOld ? removed[old + at] : undefined,
        now + at < nextNow ? added[now + at] : undefined,
      ]);
    if (nextOld < removed.length) pairs.push([removed[nextOld], added[nextNow]]);
    old = nextOld + 1;
    now = nextNow + 1;
  }
  return pairs;
}
