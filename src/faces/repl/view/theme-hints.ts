import { textWidth } from "@quoll/terminal-text/text-width";
import { joinedHints, type KeyHint, keyHints } from "../keymap/key-help.ts";
import { DEFAULT_KEYMAP, type KeyContext } from "../keymap/keymap.ts";
import type { Theme } from "./theme.ts";

type Keys = Pick<Theme, "keymap">;

/** Hints with the person's keys of a context. */
export function hintsOf({ keymap = DEFAULT_KEYMAP }: Keys, context: KeyContext): KeyHint {
  return keyHints(keymap, context);
}

/**
 * ` · ctrl+o`: the key that opens the whole transcript, after a text; empty on a plain screen, which has no such key.
 */
export function opensTranscript(theme: Keys): string {
  return hintAfter(hintsOf(theme, "prompt")("", "prompt.openTranscript"));
}

/** Separates a hint from the preceding text. */
export function hintAfter(hint: string): string {
  return hint === "" ? "" : ` · ${hint}`;
}

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
