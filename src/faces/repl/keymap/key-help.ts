import type { KeyAction } from "./key-actions.ts";
import { boundKey, type KeyContext, type Keymap } from "./keymap.ts";

const SIGNS: Readonly<Record<string, string>> = {
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  pageup: "PgUp",
  pagedown: "PgDn",
  wheelup: "wheel up",
  wheeldown: "wheel down",
};

/** A text for a hint: the keys of the actions, then the words; empty if one of the actions has no key. */
export type KeyHint = (words: string, ...actions: readonly KeyAction[]) => string;

/** The keys of an action, the most common first. */
export function keysOf(keymap: Keymap, action: KeyAction): readonly string[] {
  return [...new Set(keymap.filter((one) => one.action === action).map(({ key }) => key))];
}

/** The first keys of an action as they are shown: `↑ k`. */
export function keyNamesOf(keymap: Keymap, action: KeyAction, most = 2): string {
  return keysOf(keymap, action).slice(0, most).map(shownKey).join(" ");
}

/** `up`: `↑`; most keys are shown by their names. */
export function shownKey(key: string): string {
  return SIGNS[key] ?? key;
}

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
