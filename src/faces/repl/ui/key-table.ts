import type { KeyDescription } from "../../../contracts/command.ts";

/** The keys, for `?` and for help. */
export const KEYS: readonly KeyDescription[] = [
  { keys: "enter", does: "send; while a turn runs: steer it" },
  { keys: "tab", does: "complete; while a turn runs: send it next" },
  { keys: "shift+enter · ctrl+j · \\ enter", does: "new line" },
  { keys: "esc", does: "stop the turn; no to a question" },
  { keys: "shift+tab", does: "next mode: default, acceptEdits, plan, auto" },
  { keys: "↑ ↓", does: "lines, then history; ↑ edits what waits" },
  { keys: "ctrl+x", does: "drop what waits last" },
  { keys: "ctrl+a e · alt+b f", does: "start, end of line · a word back, forward" },
  { keys: "ctrl+k u w · ctrl+y", does: "cut to the end, start, a word · put back" },
  { keys: "ctrl+_", does: "undo" },
  { keys: "ctrl+z", does: "suspend; `fg` in the shell comes back" },
  { keys: "ctrl+o", does: "open a folded paste" },
  { keys: "/name · !command", does: "a command · a shell command of your own" },
  { keys: "ctrl+c", does: "stop the turn, or clear; when idle, twice: leave" },
  { keys: "ctrl+d twice", does: "leave, when nothing is typed" },
];
