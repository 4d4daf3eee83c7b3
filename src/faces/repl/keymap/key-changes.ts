import type { PickerList } from "../../../protocol/session-port.ts";
import type { KeyCapture } from "../layers/ui-state.ts";
import { actionsOf, FIXED_CONTEXTS, LAYER_CONTEXTS, TYPING_CONTEXTS } from "./bindable.ts";
import type { KeyChange } from "./change-keybindings.ts";
import { KEY_ACTIONS, type KeyAction } from "./key-actions.ts";
import { conflictsWith } from "./key-conflicts.ts";
import { shownKey } from "./key-help.ts";
import { DEFAULT_KEYMAP, KEY_CONTEXTS, type KeyBinding, type KeyContext, type Keymap } from "./keymap.ts";
import { isTyped, parseKeys, reservedReason } from "./parse-keys.ts";
import type { Entry, OwnKeymap } from "./read-keybindings.ts";

const VERBS = ["set", "add", "remove", "unbind", "reset", "save", "save-more"] as const;

export type KeysWish = {
  readonly verb: (typeof VERBS)[number];
  readonly context: KeyContext;
  readonly action: KeyAction;
  /** The keys to save, or the only keys to unbind; otherwise empty. */
  readonly keys: string;
};

/**
 * Reads the words after `/keys`: `set prompt prompt.openEditor`.
 * @returns undefined if the text names no action of a context.
 */
export function keysWish(argument: string): KeysWish | undefined {
  const [word, name, actionName, ...rest] = argument.split(/\s+/);
  const verb = VERBS.find((one) => one === word);
  const context = (Object.keys(KEY_CONTEXTS) as readonly KeyContext[]).find((one) => one === name);
  const action = context && [...actionsOf(context)].find((one) => one === actionName);
  if (!verb || !context || !action || FIXED_CONTEXTS.has(context)) return undefined;
  const parsed = parseKeys(rest.join(" "));
  const keys = rest.length > 0 && "keys" in parsed ? parsed.keys : "";
  // Keys that can't be read must not unbind all the others.
  const isUnclear = verb === "unbind" && rest.length > 0 && keys === "";
  const isUnusable = verb.startsWith("save") && problemOf(keys, context) !== undefined;
  return isUnclear || isUnusable ? undefined : { verb, context, action, keys };
}

/** The changes of the file that a wish needs, in order. Keys that always stop keep their bindings. */
export function changesFor(
  { verb, context, action, keys }: KeysWish,
  { keymap, entries }: OwnKeymap,
): readonly KeyChange[] {
  const defaults = DEFAULT_KEYMAP.filter((one) => one.context === context && one.action === action);
  const isDefault = (key: string) => defaults.some((one) => one.key === key);
  const here = entries.filter((one) => one.context === context);
  if (verb === "reset") {
    const isOfAction = (one: Entry) => one.context === context && (one.action === action || isDefault(one.keys));
    return entries.filter((one) => isOfAction(one) || defaults.some((key) => isDelayedBy(key, one))).map(placeOf);
  }
  const bound = keymap.flatMap((one) => (one.context === context && one.action === action ? [one.key] : []));
  const unbound = [...new Set(bound)].flatMap((key): readonly KeyChange[] => {
    const isOwn = here.some((one) => one.keys === key);
    const forget: readonly KeyChange[] = isOwn ? [{ context, keys: key }] : [];
    return isDefault(key) && reservedReason(key) === undefined ? [{ context, keys: key, action: null }] : forget;
  });
  if (verb === "unbind") return keys === "" ? unbound : unbound.filter((one) => one.keys === keys);
  const others = verb === "save" ? unbound.filter((one) => one.keys !== keys) : [];
  return [...others, { context, keys, action }];
}

/** True if a chord of the file begins with this key, which then no longer acts alone. */
function isDelayedBy({ key, context }: KeyBinding, { context: where, keys, action }: Entry): boolean {
  const areActive = LAYER_CONTEXTS.some((layer) => layer.includes(context) && layer.includes(where));
  return action !== undefined && areActive && keys.startsWith(`${key} `);
}

function placeOf({ context, keys }: Entry): KeyChange {
  return { context, keys };
}

/** The keys of an action, to remove one of them or all. */
export function removalList({ context, action }: KeysWish, current: OwnKeymap): PickerList {
  const unbind = `/keys unbind ${context} ${action}`;
  const keys = changesFor({ verb: "unbind", context, action, keys: "" }, current).map((one) => one.keys);
  const isOwn = (key: string) => current.own.some((one) => one.context === context && one.key === key);
  const rows = keys.map((key) => ({
    label: shownKey(key),
    detail: isOwn(key) ? "your own" : "",
    input: `${unbind} ${key}`,
  }));
  return {
    title: `Remove keys: ${KEY_ACTIONS[action]}`,
    choices: [...rows, { label: "all", detail: "the action has no key then", input: unbind }],
    back: "/keys",
  };
}

/** The box that takes the new keys of an action. */
export function captureOf({ verb, context, action }: KeysWish, keymap: Keymap): KeyCapture {
  const save = verb === "add" ? "save-more" : "save";
  return {
    title: `${verb === "add" ? "Further keys" : "New keys"}: ${KEY_ACTIONS[action]}`,
    where: `${context}: ${KEY_CONTEXTS[context]}`,
    pressed: [],
    back: "/keys",
    inputOf: (keys) => `/keys ${save} ${context} ${action} ${keys}`,
    check: (keys) => {
      const problem = problemOf(keys, context);
      if (problem !== undefined) return { problem, notes: [] };
      const now = keymap.find((one) => one.context === context && one.key === keys);
      const taken = now && now.action !== action ? [`now: ${KEY_ACTIONS[now.action]}`] : [];
      return {
        problem: undefined,
        notes: [...taken, ...new Set(conflictsWith(keymap, { key: keys, context, action }))],
      };
    },
  };
}

function problemOf(keys: string, context: KeyContext): string | undefined {
  const [first = ""] = keys.split(" ");
  if (first === "") return "no key";
  const isText = isTyped(first) && TYPING_CONTEXTS.has(context);
  return reservedReason(keys) ?? (isText ? `${first} is typed in ${context}: add ctrl or alt` : undefined);
}
