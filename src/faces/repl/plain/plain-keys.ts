import type { KeyDescription } from "../../../contracts/command.ts";

/** The keys of a plain screen, for `/help` and `/keys`. A dumb terminal edits the line itself. */
export const PLAIN_KEYS: readonly KeyDescription[] = [
  { keys: "enter", does: "sends the line; while a turn runs, with its next step" },
  { keys: "\\ then enter", does: "continues the prompt in the next line" },
  { keys: "left, right, home, end", does: "moves in the line, which is edited as in a shell" },
  { keys: "up, down", does: "brings back earlier prompts" },
  { keys: "a number then enter", does: "chooses an answer, or a choice of a list" },
  { keys: "words then enter", does: "at a question, say no and why; in a list, search" },
  { keys: "again then enter", does: "tells the open question or list once more" },
  { keys: "tab", does: "completes a /command, its argument or an @file; tells the choices if there are several" },
  { keys: "esc", does: "at a question, says no; goes back from a list or a field; otherwise stops the turn" },
  { keys: "shift+tab", does: "next mode: default, acceptEdits, plan, auto" },
  { keys: "ctrl+b", does: "moves the running work to the background" },
  { keys: "ctrl+o", does: "tells the last result in full, as /transcript does" },
  { keys: "ctrl+g", does: "opens the line in your editor" },
  { keys: "alt+p, alt+t", does: "opens the list of models, the choice of thinking" },
  { keys: "ctrl+c", does: "stops the turn; when nothing runs, clears the line, or leaves" },
  { keys: "ctrl+d", does: "leaves, in an empty line" },
  { keys: "/transcript", does: "tells the last result in full; with a number, that many of the last events" },
  { keys: "/name, !cmd, # words", does: "a command, your shell, a line for AGENTS.md" },
];
