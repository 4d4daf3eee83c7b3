import { textWidth } from "@quoll/terminal-text/text-width";
import { joinedHints } from "../keymap/key-hint.ts";

/** Hints in one row of `columns`: where not all fit, the last ones leave first, but the very last, the way back, stays. */
export function fittingHints(columns: number, ...hints: readonly string[]): string {
  const shown = hints.filter(Boolean);
  while (shown.length > 1 && textWidth(joinedHints(...shown)) > columns) shown.splice(-2, 1);
  return joinedHints(...shown);
}

/** Hints in as many rows of `columns` as they need, none broken. */
export function hintRows(columns: number, hints: readonly string[]): readonly string[] {
  const rows: string[] = [];
  for (const hint of hints.filter(Boolean)) {
    const longer = joinedHints(rows.at(-1) ?? "", hint);
    if (rows.length > 0 && textWidth(longer) <= columns) rows.splice(-1, 1, longer);
    else rows.push(hint);
  }
  return rows;
}
