import { commonEnds, splitLines } from "../../../platform/diff-hunks.ts";

/** Old text that occurs once in a file, and its replacement. */
export type UniqueReplacement = { readonly oldText: string; readonly newText: string };

/**
 * The single replacement that turns one text into another: the changed lines, with enough context to be
 * unique. The context is doubled in each step, so that a file of many similar lines costs little.
 */
export function uniqueReplacement(before: string, after: string): UniqueReplacement {
  const a = splitLines(before);
  const b = splitLines(after);
  const { head, tail } = commonEnds(a, b);
  for (let around = 1; ; around *= 2) {
    const from = Math.max(0, head - around);
    const left = Math.max(0, tail - around);
    const oldText = a.slice(from, a.length - left).join("");
    const isWhole = from === 0 && left === 0;
    if (isWhole || isOnlyAt(before, oldText, a.slice(0, from).join("").length)) {
      return { oldText, newText: b.slice(from, b.length - left).join("") };
    }
  }
}

function isOnlyAt(text: string, wanted: string, place: number): boolean {
  return wanted !== "" && text.indexOf(wanted) === place && text.indexOf(wanted, place + 1) === -1;
}
