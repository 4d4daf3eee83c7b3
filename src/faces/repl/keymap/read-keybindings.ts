import { plainText } from "@quoll/terminal-text/plain-text";
import { type Node, type ParseError, parseTree } from "jsonc-parser/lib/esm/main.js";
import { nearestName } from "../../../contracts/did-you-mean.ts";
import { actionsOf, FIXED_CONTEXTS, TYPING_CONTEXTS } from "./bindable.ts";
import { KEY_ACTIONS, type KeyAction } from "./key-actions.ts";
import { conflictsOf } from "./key-conflicts.ts";
import { DEFAULT_KEYMAP, KEY_CONTEXTS, type KeyBinding, type KeyContext, type Keymap } from "./keymap.ts";
import { isTyped, parseKeys, reservedReason } from "./parse-keys.ts";

/** The maximum number of entries that are read. */
const MAX_ENTRIES = 1_000;

export type OwnKeymap = {
  /** The person's bindings, then the default bindings that they kept. */
  readonly keymap: Keymap;
  readonly own: readonly KeyBinding[];
  /** The last line in the file about each key. */
  readonly entries: readonly Entry[];
  /**
   * One line for each entry that has no effect, or a different effect than it seems to have: `keybindings.json:4: …`.
   */
  readonly problems: readonly string[];
};

/** A binding of the file; an entry without an action removes a default binding. */
export type Entry = {
  readonly context: KeyContext;
  readonly keys: string;
  readonly action?: KeyAction;
  readonly line: number;
};
type Problem = { readonly line: number; readonly text: string };

/**
 * Reads a file of key bindings, in the form that Claude Code documents for its own: `{ "bindings": [{ "context":
 * "prompt", "bindings": { "ctrl+e": "prompt.openEditor", "ctrl+u": null } }] }`. Comments are allowed. An unusable
 * entry has no effect and is reported.
 * @param file The file's name in problems.
 */
export function readKeybindings(text: string, file: string): OwnKeymap {
  const { entries, problems } = entriesIn(text);
  const last = new Map(entries.map((entry) => [`${entry.context} ${entry.keys}`, entry]));
  const lost = entries.filter((entry) => last.get(`${entry.context} ${entry.keys}`) !== entry);
  const counting = [...last.values()];
  const own = counting.flatMap(({ context, keys, action }): readonly KeyBinding[] =>
    action === undefined ? [] : [{ context, key: keys, action }],
  );
  const keymap = [...own, ...DEFAULT_KEYMAP.filter(({ context, key }) => !last.has(`${context} ${key}`))];
  const lineOf = ({ context, key }: KeyBinding) => last.get(`${context} ${key}`)?.line ?? 1;
  const all: readonly Problem[] = [
    ...problems,
    ...lost.map(({ context, keys, line }) => ({
      line,
      text: `${keys} is bound again in ${context}: line ${last.get(`${context} ${keys}`)?.line} counts`,
    })),
    ...counting.filter(bindsNothing).map(({ context, keys, line }) => ({
      line,
      text: `${keys} has no binding in ${context} to remove`,
    })),
    ...conflictsOf(keymap, own).map(({ binding, text }) => ({ line: lineOf(binding), text })),
  ];
  const sorted = all.toSorted((a, b) => a.line - b.line);
  return {
    keymap,
    own,
    entries: counting,
    problems: sorted.map((one) => `${file}:${one.line}: ${plainText(one.text)}`),
  };
}

function bindsNothing({ context, keys, action }: Entry): boolean {
  return action === undefined && !DEFAULT_KEYMAP.some((one) => one.context === context && one.key === keys);
}

type Read = { readonly entries: readonly Entry[]; readonly problems: readonly Problem[] };

function entriesIn(text: string): Read {
  if (text.trim() === "") return { entries: [], problems: [] };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  const [error] = errors;
  if (error) return { entries: [], problems: [{ line: lineAt(error.offset), text: "this is not valid JSON" }] };
  const list = root && memberOf(root, "bindings");
  if (list?.type !== "array")
    return { entries: [], problems: [{ line: 1, text: 'there is no list "bindings": [{ "context", "bindings" }]' }] };
  const entries: Entry[] = [];
  const problems: Problem[] = [];
  for (const block of list.children ?? []) {
    const context = contextOf(block);
    const bindings = memberOf(block, "bindings");
    const line = lineAt(block.offset);
    if ("problem" in context) problems.push({ line, text: context.problem });
    else if (bindings?.type !== "object") problems.push({ line, text: `${context.name} has no "bindings": { … }` });
    else
      for (const property of bindings.children ?? []) {
        const entry = entryOf(property, context.name, lineAt(property.offset));
        if ("text" in entry) problems.push(entry);
        else if (entries.length < MAX_ENTRIES) entries.push(entry);
      }
  }
  return { entries, problems };
}

function contextOf(block: Node): { readonly name: KeyContext } | { readonly problem: string } {
  const given: unknown = memberOf(block, "context")?.value;
  if (typeof given !== "string") return { problem: 'a part has no "context"' };
  if (!isContext(given)) return { problem: `there is no context "${given}"${meant(given, Object.keys(KEY_CONTEXTS))}` };
  return FIXED_CONTEXTS.has(given) ? { problem: `the keys of ${given} can't be changed` } : { name: given };
}

function entryOf({ children: [key, value] = [] }: Node, context: KeyContext, line: number): Entry | Problem {
  const written = String(key?.value ?? "");
  const parsed = parseKeys(written);
  if ("problem" in parsed) return { line, text: parsed.problem };
  const { keys } = parsed;
  const [first = ""] = keys.split(" ");
  const reserved = reservedReason(keys);
  if (reserved !== undefined) return { line, text: reserved };
  if (value?.type === "null") return { context, keys, line };
  const action: unknown = value?.value;
  if (typeof action !== "string") return { line, text: `${written} needs the name of an action, or null` };
  if (!isAction(action)) return { line, text: `there is no action "${action}"${meant(action, actionsOf(context))}` };
  if (!actionsOf(context).has(action)) return { line, text: `${action} does nothing in ${context}` };
  if (isTyped(first) && TYPING_CONTEXTS.has(context))
    return { line, text: `${first} is typed in ${context}: add ctrl or alt` };
  return { context, keys, action, line };
}

function meant(given: string, known: Iterable<string>): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? "" : `: did you mean ${nearest}?`;
}

function memberOf(node: Node, name: string): Node | undefined {
  if (node.type !== "object") return undefined;
  return node.children?.findLast(({ children: [key] = [] }) => key?.value === name)?.children?.[1];
}

function isContext(name: string): name is KeyContext {
  return Object.hasOwn(KEY_CONTEXTS, name);
}

function isAction(name: string): name is KeyAction {
  return Object.hasOwn(KEY_ACTIONS, name);
}
