import type { KeyDescription } from "../../../contracts/command.ts";

/** What a person types on a plain screen, for `/help` and `/keys`. The terminal edits the line, with its own keys. */
export const PLAIN_KEYS: readonly KeyDescription[] = [
  { keys: "enter", does: "sends the line; while a turn runs, it steers the turn" },
  { keys: "\\ then enter", does: "continues the prompt in the next line" },
  { keys: "a number then enter", does: "chooses an answer, or a choice of a list" },
  { keys: "words then enter", does: "at a question, say no and why; in a list, search" },
  { keys: "tab then enter", does: "after the beginning of a command, tells the commands that begin so" },
  { keys: "esc then enter", does: "goes back from a list or a field; otherwise stops the turn" },
  { keys: "ctrl+c", does: "stops the turn; when nothing runs, leaves" },
  { keys: "ctrl+d", does: "leaves, in an empty line" },
  { keys: "/transcript", does: "tells the last result in full; with a number, that many of the last events" },
  { keys: "/name, !cmd, # words", does: "a command, your shell, a line for AGENTS.md" },
];
