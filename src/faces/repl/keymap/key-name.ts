import type { KeyEvent } from "../input/decode-keys.ts";

/**
 * A key as keymaps name it: `esc`, `ctrl+c`, `shift+tab`; a single character that was typed is its own name, a blank `space`.
 *
 * @returns undefined for longer text and for a paste.
 */
export function keyName(event: KeyEvent): string | undefined {
  if (event.type === "paste") return undefined;
  if (event.type === "text") return event.text === " " ? "space" : event.text.length === 1 ? event.text : undefined;
  const { name, char, ctrl, alt, shift } = event;
  const base = name === "char" ? char : name === "escape" ? "esc" : name;
  return [ctrl && "ctrl", alt && "alt", shift && "shift", base].filter(Boolean).join("+");
}

/**
 * The key itself, then the names that it goes by where that is bound nowhere: a named key without its modifiers. A character
 * with Ctrl or Alt is a key of its own.
 */
export function keyNames(key: string): readonly string[] {
  const modifiers = key.split("+").slice(0, -1);
  const base = key.slice(modifiers.join("+").length + 1);
  if (modifiers.length === 0 || base.length <= 1) return [key];
  const withoutShift = [...modifiers.filter((one) => one !== "shift"), base].join("+");
  const onlyCtrl = [...modifiers.filter((one) => one === "ctrl"), base].join("+");
  return [key, withoutShift, onlyCtrl, base];
}
