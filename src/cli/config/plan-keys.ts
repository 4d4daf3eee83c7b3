import { FIXED_CONTEXTS } from "../../faces/repl/keymap/bindable.ts";
import type { KeyChange } from "../../faces/repl/keymap/change-keybindings.ts";
import { DEFAULT_KEYMAP, KEY_CONTEXTS, type KeyContext } from "../../faces/repl/keymap/keymap.ts";
import { parseKeys } from "../../faces/repl/keymap/parse-keys.ts";
import { readKeybindings } from "../../faces/repl/keymap/read-keybindings.ts";
import type { ImportPart } from "../../services/importing/import-line.ts";

export type KeysPart = Extract<ImportPart, { readonly kind: "keys" }>;

/**
 * A binding in the context to which it is added. `note`: the bindings of other keys that it overrides. `isDefault`:
 * Quoll has the binding anyway.
 */
type Placed = { readonly part: KeysPart; readonly note: string | undefined; readonly isDefault: boolean };

/**
 * Finds the context of an imported binding, and checks the binding as one in the key bindings file would be checked.
 */
export function placeKeys(part: KeysPart): Placed | { readonly why: string } {
  const { action } = part;
  const parsed = parseKeys(part.keys);
  if ("problem" in parsed) return { why: parsed.problem };
  const { keys } = parsed;
  const bound = (context: string) => DEFAULT_KEYMAP.filter((one) => one.context === context && one.key === keys);
  const context = action === null ? part.contexts.find((one) => bound(one).length > 0) : part.contexts[0];
  if (context === undefined) return { why: "Quoll has no action on these keys in this context" };
  const { own, problems } = readKeybindings(
    JSON.stringify({ bindings: [{ context, bindings: { [keys]: action } }] }),
    "",
  );
  const [problem] = problems.map((one) => one.replace(/^:\d+: /, ""));
  if (problem !== undefined && own.length === 0) return { why: problem };
  return {
    part: { ...part, contexts: [context], keys },
    note: problem,
    isDefault: action !== null && bound(context).some((one) => one.action === action && one.draft === undefined),
  };
}

/** The file's entries by context and keys: an action, or null. */
export function keysIn(text: string): Readonly<Record<string, string | null>> {
  const { entries } = readKeybindings(text, "");
  return Object.fromEntries(entries.map(({ context, keys, action }) => [`${context} ${keys}`, action ?? null]));
}

/** The change of the file for a binding whose context was found. */
export function keyChangeOf({ contexts: [context = ""], keys, action }: KeysPart): KeyChange | undefined {
  if (!isContext(context)) return undefined;
  const { own } = readKeybindings(JSON.stringify({ bindings: [{ context, bindings: { [keys]: action } }] }), "");
  const [binding] = own;
  return action === null || binding ? { context, keys, action: binding?.action ?? null } : undefined;
}

function isContext(name: string): name is KeyContext {
  return Object.hasOwn(KEY_CONTEXTS, name) && !FIXED_CONTEXTS.has(name as KeyContext);
}
