import {
  boundAction,
  KEY_ACTIONS,
  KEY_STATES,
  type KeyState,
  STOP_BINDINGS,
  STOP_KEYS,
} from "../../src/faces/repl/ui/key-bindings.ts";
import { table } from "./markdown.ts";

export const STOP_KEYS_START = "<!-- stop keys: generated from src/faces/repl/ui/key-bindings.ts -->";
export const STOP_KEYS_END = "<!-- end of stop keys -->";

/** What Esc, Ctrl+C and Ctrl+D do: the table of docs/guide/terminal.md, markers included. */
export function stopKeyTable(): string {
  const rows = Object.entries(KEY_STATES).map(([state, words]) => [
    words,
    ...STOP_KEYS.map((key) => cell(state as KeyState, key)),
  ]);
  return [STOP_KEYS_START, table(["", ...STOP_KEYS], rows), STOP_KEYS_END].join("\n\n");
}

function cell(state: KeyState, key: string): string {
  const words = (draft: "empty" | "typed") => {
    const action = boundAction(STOP_BINDINGS, key, [{ state, draft }]);
    return action === undefined ? "as without them" : KEY_ACTIONS[action];
  };
  const [empty, typed] = [words("empty"), words("typed")];
  return empty === typed ? empty : `nothing typed: ${empty} · something typed: ${typed}`;
}
