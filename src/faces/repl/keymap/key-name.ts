import type { KeyEvent } from "../input/decode-keys.ts";

/**
 * The name of a key in keymaps: `esc`, `ctrl+c`, `shift+tab`; a single typed character is its own name, a blank is
 * `space`.
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

/** Characters with Ctrl that most terminals send as another key. */
const ALIASES: Readonly<Record<string, string>> = {
  "ctrl+h": "backspace",
  "ctrl+/": "ctrl+_",
  // The same key on most keyboards: xterm tells the sign with Shift, kitty the one without.
  "ctrl+shift+_": "ctrl+_",
  "ctrl+shift+-": "ctrl+_",
};

/**
 * The key's own name, then the names to try if that one has no binding: a named key without its modifiers. A character
 * with Ctrl or Alt has only its own name, or the name of the key that terminals without such protocols send for it.
 */
export function keyNames(key: string): readonly string[] {
  const alias = ALIASES[key];
  if (alias !== undefined) return [key, alias];
  const modifiers = key.split("+").slice(0, -1);
  const base = key.slice(modifiers.join("+").length + 1);
  if (modifiers.length === 0 || base.length <= 1) return [key];
  const withoutShift = [...modifiers.filter((one) => one !== "shift"), base].join("+");
  const onlyCtrl = [...modifiers.filter((one) => one === "ctrl"), base].join("+");
  return [key, withoutShift, onlyCtrl, base];
}
