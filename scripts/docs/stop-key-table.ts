import { KEY_ACTIONS } from "../../src/faces/repl/keymap/key-actions.ts";
import {
  boundAction,
  DEFAULT_KEYMAP,
  KEY_CONTEXTS,
  type KeyContext,
  STOP_KEYS,
} from "../../src/faces/repl/keymap/keymap.ts";
import { table } from "./markdown.ts";

export const STOP_KEYS_START = "<!-- stop keys: generated from src/faces/repl/keymap/keymap.ts -->";
export const STOP_KEYS_END = "<!-- end of stop keys -->";

/** The effects of Esc, Ctrl+C and Ctrl+D: the table of docs/guide/terminal.md, markers included. */
export function stopKeyTable(): string {
  const stops = DEFAULT_KEYMAP.filter(({ key }) => STOP_KEYS.some((stop) => stop === key));
  const contexts = [...new Set(stops.map(({ context }) => context))].filter(
    (context) => context !== "text" && context !== "guarded",
  );
  const rows = contexts.map((context) => [KEY_CONTEXTS[context], ...STOP_KEYS.map((key) => cell(context, key))]);
  return [STOP_KEYS_START, table(["", ...STOP_KEYS], rows), STOP_KEYS_END].join("\n\n");
}

function cell(context: KeyContext, key: string): string {
  const words = (draft: "empty" | "typed") => {
    const action = boundAction(DEFAULT_KEYMAP, key, [context], draft);
    return action === undefined ? "as without them" : KEY_ACTIONS[action];
  };
  const [empty, typed] = [words("empty"), words("typed")];
  return empty === typed ? empty : `nothing typed: ${empty} · something typed: ${typed}`;
}
