import type { KeyAction } from "./key-actions.ts";
import type { Keymap } from "./keymap.ts";

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
