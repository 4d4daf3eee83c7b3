import type { KeyName } from "../input/decode-keys.ts";

/** The keys that have their own names. `char` is not the name of a key. */
const NAMES: ReadonlySet<string> = new Set<Exclude<KeyName, "char" | "escape"> | "esc" | "space">([
  ...(["enter", "tab", "backspace", "delete", "up", "down", "left", "right"] as const),
  ...(["home", "end", "pageup", "pagedown", "esc", "space"] as const),
  ...(["f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"] as const),
]);
const OTHER_NAMES: Readonly<Record<string, string>> = {
  escape: "esc",
  return: "enter",
  del: "delete",
  pgup: "pageup",
  pgdn: "pagedown",
  pgdown: "pagedown",
};
const MODIFIERS: Readonly<Record<string, "ctrl" | "alt" | "shift">> = {
  ctrl: "ctrl",
  control: "ctrl",
  alt: "alt",
  opt: "alt",
  option: "alt",
  meta: "alt",
  shift: "shift",
};
/** Modifiers that few terminals send. */
const UNSENT: ReadonlySet<string> = new Set(["cmd", "command", "super", "win"]);
const MAX_CHORD_KEYS = 3;
/** Keys that stop or leave everywhere, and keys that most terminals send as a different key. */
const RESERVED: Readonly<Record<string, string>> = {
  "ctrl+c": "it always stops, or leaves",
  "ctrl+d": "it always leaves, or deletes",
  "ctrl+m": "most terminals send it as enter",
  "ctrl+i": "most terminals send it as tab",
  "ctrl+[": "most terminals send it as esc",
};

export type ParsedKeys = { readonly keys: string } | { readonly problem: string };

/** Keys as a person writes them, `Control+X ctrl+e`, in the form of a keymap: `ctrl+x ctrl+e`. */
export function parseKeys(text: string): ParsedKeys {
  const words = text.trim().split(/\s+/);
  if (words.length > MAX_CHORD_KEYS) return { problem: `a chord has at most ${MAX_CHORD_KEYS} keys` };
  const keys: string[] = [];
  for (const word of words) {
    const parsed = parseKey(word);
    if ("problem" in parsed) return parsed;
    keys.push(parsed.keys);
  }
  return { keys: keys.join(" ") };
}

/** The reason why keys can't be rebound; undefined if they can. */
export function reservedReason(keys: string): string | undefined {
  const reserved = keys.split(" ").find((key) => Object.hasOwn(RESERVED, key));
  return reserved && `${reserved} can't be changed: ${RESERVED[reserved]}`;
}

/** True for a key that types a character. */
export function isTyped(key: string): boolean {
  return key === "space" || [...key].length === 1;
}

function parseKey(word: string): ParsedKeys {
  // The last part may itself be a plus: `ctrl++`.
  const [, lead = "", base = ""] = /^((?:[^+]+\+)*)(.+)$/.exec(word) ?? [];
  const given = lead.toLowerCase().split("+").filter(Boolean);
  const held = new Set<string>();
  for (const one of given) {
    const modifier = MODIFIERS[one];
    if (UNSENT.has(one)) return { problem: `terminals don't send ${one}: use ctrl or alt` };
    if (!modifier) return { problem: `there is no modifier "${one}": use ctrl, alt or shift` };
    held.add(modifier);
  }
  const lower = base.toLowerCase();
  const name = OTHER_NAMES[lower] ?? lower;
  if (NAMES.has(name)) return { keys: named(held, name) };
  if ([...base].length !== 1) return { problem: `there is no key "${word}"` };
  if (held.has("ctrl") || held.has("alt")) return { keys: named(held, lower) };
  return { keys: held.has("shift") ? base.toUpperCase() : base };
}

function named(held: ReadonlySet<string>, base: string): string {
  return [...["ctrl", "alt", "shift"].filter((one) => held.has(one)), base].join("+");
}
