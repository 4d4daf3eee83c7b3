import { FIXED_CONTEXTS } from "../../src/faces/repl/keymap/bindable.ts";
import { KEY_ACTIONS, type KeyAction } from "../../src/faces/repl/keymap/key-actions.ts";
import { DEFAULT_KEYMAP, KEY_CONTEXTS, type KeyBinding, type KeyContext } from "../../src/faces/repl/keymap/keymap.ts";
import { table } from "./markdown.ts";

const HEAD = `# Keys

<!-- generated from src/faces/repl/keymap; run npm run docs to change it -->

Each table holds the keys of one place of the [terminal](../terminal.md). A key that has no row there does what it does in the prompt or in a text. The names of contexts and actions are those for a file of [your own keys](../terminal.md#your-own-keys).
`;

const ELSEWHERE_HEADING = "keys that do something else than in other agents";
/** Keys that people know from other agents, and the reason why they do something else here. */
const ELSEWHERE: readonly (readonly [key: string, elsewhere: string, here: string])[] = [
  ["`alt+o`", "switches a fast mode", "Opens a folded paste: Quoll has no fast mode; `/model` and `/effort` choose."],
  ["`alt+y`", "goes through older cut texts", "Nothing: only the last cut text is kept, and `ctrl+y` inserts it."],
];

/** docs/guide/reference/keys.md: every key binding, place by place. */
export function keysPage(): string {
  const contexts = Object.keys(KEY_CONTEXTS) as readonly KeyContext[];
  const parts = contexts.flatMap((context) => {
    const rows = rowsOf(DEFAULT_KEYMAP.filter((one) => one.context === context));
    return rows.length === 0
      ? []
      : [`## ${heading(KEY_CONTEXTS[context])}`, contextLine(context), table(["keys", "what they do", "action"], rows)];
  });
  const elsewhere = [`## ${heading(ELSEWHERE_HEADING)}`, table(["keys", "in other agents", "here"], ELSEWHERE)];
  return `${[HEAD.trimEnd(), ...parts, ...elsewhere].join("\n\n")}\n`;
}

function heading(words: string): string {
  return words.replace(/^\w/, (first) => first.toUpperCase());
}

function rowsOf(bindings: readonly KeyBinding[]): readonly (readonly string[])[] {
  const groups = Map.groupBy(bindings, ({ action, draft }) => `${action} ${draft ?? ""}`);
  return [...groups.values()].map((group) => [
    group.map(({ key }) => `\`${key}\``).join(" "),
    `${draftWords(group[0]?.draft)}${wordsOf(group[0]?.action ?? "none")}`,
    nameOf(group[0]?.action ?? "none"),
  ]);
}

function contextLine(context: KeyContext): string {
  return FIXED_CONTEXTS.has(context) ? "These keys can't be changed." : `Context \`${context}\`.`;
}

function nameOf(action: KeyAction): string {
  return action === "none" ? "" : `\`${action}\``;
}

function draftWords(draft: KeyBinding["draft"]): string {
  if (draft === undefined) return "";
  return draft === "empty" ? "nothing typed: " : "something typed: ";
}

function wordsOf(action: KeyAction): string {
  return action === "none" ? "nothing" : KEY_ACTIONS[action];
}
