import type { KeyCapture } from "../layers/ui-state.ts";
import { actionsOf, FIXED_CONTEXTS, TYPING_CONTEXTS } from "./bindable.ts";
import type { KeyChange } from "./change-keybindings.ts";
import { KEY_ACTIONS, type KeyAction } from "./key-actions.ts";
import { conflictsWith } from "./key-conflicts.ts";
import { DEFAULT_KEYMAP, KEY_CONTEXTS, type KeyContext, type Keymap } from "./keymap.ts";
import { isTyped, parseKeys, reservedReason } from "./parse-keys.ts";
import type { OwnKeymap } from "./read-keybindings.ts";

const VERBS = ["set", "add", "unbind", "reset", "save", "save-more"] as const;

export type KeysWish = {
  readonly verb: (typeof VERBS)[number];
  readonly context: KeyContext;
  readonly action: KeyAction;
  /** The keys; empty unless they are to be saved. */
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
  return verb.startsWith("save") && problemOf(keys, context) !== undefined
    ? undefined
    : { verb, context, action, keys };
}

/** The changes of the file that a wish needs, in order. Keys that always stop keep their bindings. */
export function changesFor(
  { verb, context, action, keys }: KeysWish,
  { keymap, entries }: OwnKeymap,
): readonly KeyChange[] {
  const defaults = DEFAULT_KEYMAP.filter((one) => one.context === context && one.action === action);
  const isDefault = (key: string) => defaults.some((one) => one.key === key);
  const here = entries.filter((one) => one.context === context);
  if (verb === "reset")
    return here.flatMap((one) => (one.action === action || isDefault(one.keys) ? [{ context, keys: one.keys }] : []));
  const bound = keymap.flatMap((one) => (one.context === context && one.action === action ? [one.key] : []));
  const unbound = [...new Set(bound)].flatMap((key): readonly KeyChange[] => {
    const isOwn = here.some((one) => one.keys === key);
    const forget: readonly KeyChange[] = isOwn ? [{ context, keys: key }] : [];
    return isDefault(key) && reservedReason(key) === undefined ? [{ context, keys: key, action: null }] : forget;
  });
  if (verb === "unbind") return unbound;
  const others = verb === "save" ? unbound.filter((one) => one.keys !== keys) : [];
  return [...others, { context, keys, action }];
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
