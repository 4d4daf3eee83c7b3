import { KEY_ACTIONS } from "../keymap/key-actions.ts";
import { DEFAULT_KEYMAP, type KeyBinding, type Keymap } from "../keymap/keymap.ts";
import { isPlainAction, plainContexts } from "./key-meaning.ts";
import { PLAIN_KEYS } from "./plain-keys.ts";
import { ROLES } from "./spoken-text.ts";

const CONTEXTS = new Set([...plainContexts(true), ...plainContexts(false), "completion"]);

/** The keys of a plain screen, and those of the person's own that count there, for `/keys`. */
export function keyLines(keymap: Keymap): readonly string[] {
  const own = keymap.filter((one) => !DEFAULT_KEYMAP.includes(one) && isUsed(one));
  const removed = DEFAULT_KEYMAP.filter((one) => !keymap.includes(one) && isUsed(one)).filter(
    (one) => !own.some(({ key, context }) => key === one.key && context === one.context),
  );
  return [
    `${ROLES.result}: Keys of the plain screen`,
    ...PLAIN_KEYS.map(({ keys, does }) => `${keys}: ${does}`),
    ...own.map(({ key, action }) => `${key}, your own: ${KEY_ACTIONS[action]}`),
    ...removed.map(({ key, action }) => `${key}, removed by you: ${KEY_ACTIONS[action]}`),
    "Your own keys stand in keybindings.json, beside your settings.",
  ];
}

function isUsed({ context, action }: KeyBinding): boolean {
  return CONTEXTS.has(context) && isPlainAction(action);
}
