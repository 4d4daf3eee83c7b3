import { KEY_ACTIONS, type KeyAction } from "../../src/faces/repl/keymap/key-actions.ts";
import { DEFAULT_KEYMAP, KEY_CONTEXTS, type KeyBinding, type KeyContext } from "../../src/faces/repl/keymap/keymap.ts";
import { table } from "./markdown.ts";

const HEAD = `# Keys

<!-- generated from src/faces/repl/keymap; run npm run docs to change it -->

Each table holds the keys of one place of the [terminal](../terminal.md). A key that has no row there does what it does in the prompt or in a text.
`;

/** docs/guide/reference/keys.md: every key binding, place by place. */
export function keysPage(): string {
  const contexts = Object.keys(KEY_CONTEXTS) as readonly KeyContext[];
  const parts = contexts.flatMap((context) => {
    const rows = rowsOf(DEFAULT_KEYMAP.filter((one) => one.context === context));
    return rows.length === 0 ? [] : [`## ${heading(KEY_CONTEXTS[context])}`, table(["keys", "what they do"], rows)];
  });
  return `${[HEAD.trimEnd(), ...parts].join("\n\n")}\n`;
}

function heading(words: string): string {
  return words.replace(/^\w/, (first) => first.toUpperCase());
}

function rowsOf(bindings: readonly KeyBinding[]): readonly (readonly string[])[] {
  const groups = Map.groupBy(bindings, ({ action, draft }) => `${action} ${draft ?? ""}`);
  return [...groups.values()].map((group) => [
    group.map(({ key }) => `\`${key}\``).join(" "),
    `${draftWords(group[0]?.draft)}${wordsOf(group[0]?.action ?? "none")}`,
  ]);
}

function draftWords(draft: KeyBinding["draft"]): string {
  if (draft === undefined) return "";
  return draft === "empty" ? "nothing typed: " : "something typed: ";
}

function wordsOf(action: KeyAction): string {
  return action === "none" ? "nothing" : KEY_ACTIONS[action];
}
