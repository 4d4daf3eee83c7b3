import type { FilePart } from "../contracts/session-changes.ts";
import { type Diff, diffTexts, splitLines } from "./diff-hunks.ts";

/** The diff of two texts, and each hunk with its exact text; `parts` is absent if a hunk is not complete. */
export function partedDiff(before: string, after: string): Diff & { readonly parts?: readonly FilePart[] } {
  const { diff, take } = diffTexts(before, after);
  if (!take) return diff;
  const [old, now] = [splitLines(before), splitLines(after)];
  const parts = diff.hunks.map(({ oldStart, newStart, lines }): FilePart => {
    const text = (from: readonly string[], start: number, other: "added" | "removed") =>
      from.slice(start - 1, start - 1 + lines.filter(({ kind }) => kind !== other).length).join("");
    return { before: text(old, oldStart, "added"), after: text(now, newStart, "removed"), line: newStart };
  });
  return { ...diff, parts };
}

/**
 * A text without one change: the part's lines as they were before. The part may have moved, if its lines are there once.
 * @returns undefined if the text does not hold the part.
 */
export function withoutPart(text: string, { before, after, line }: FilePart): string | undefined {
  const lines = splitLines(text);
  const part = splitLines(after);
  // A file without this text has nothing that could have moved.
  if (part.length === 0) return text === "" ? before : undefined;
  const isAt = (at: number) => part.every((one, offset) => lines[at + offset] === one);
  const places = isAt(line - 1) ? [line - 1] : lines.flatMap((_, at) => (isAt(at) ? [at] : []));
  const [at] = places;
  if (at === undefined || places.length > 1) return undefined;
  return [...lines.slice(0, at), before, ...lines.slice(at + part.length)].join("");
}
