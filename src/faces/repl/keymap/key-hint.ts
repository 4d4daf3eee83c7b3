import type { KeyAction } from "./key-actions.ts";
import { shownKey } from "./key-help.ts";
import { boundKey, type KeyContext, type Keymap } from "./keymap.ts";

/** A text for a hint: the keys of the actions, then the words; empty if one of the actions has no key. */
export type KeyHint = (words: string, ...actions: readonly KeyAction[]) => string;

/** Hints with the keys that the actions of a context have now, the person's own before the default ones: `esc back`. */
export function keyHints(keymap: Keymap, context: KeyContext): KeyHint {
  return (words, ...actions) => {
    const keys = actions.map((action) => boundKey(keymap, context, action));
    if (keys.includes(undefined)) return "";
    const shown = keys.map((key = "") => shownKey(key));
    const isArrows = shown.every((key) => /^[↑↓]$/.test(key));
    return [shown.join(isArrows ? "" : " "), words].filter(Boolean).join(" ");
  };
}

/** `enter go · esc back`: the hints that have a key. */
export function joinedHints(...hints: readonly string[]): string {
  return hints.filter(Boolean).join(" · ");
}
