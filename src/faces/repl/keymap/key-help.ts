import type { KeyDescription } from "../../../contracts/command.ts";
import type { KeyAction } from "./key-actions.ts";
import type { Keymap } from "./keymap.ts";

type HelpRow = {
  readonly actions: readonly KeyAction[];
  readonly does: string;
  /** How many keys of each action are shown; 1 by default. */
  readonly most?: number;
  /** Text that is typed, besides the keys. */
  readonly also?: string;
};

const ROWS: readonly HelpRow[] = [
  { actions: ["prompt.submit"], does: "send; while a turn runs: steer it" },
  { actions: ["prompt.queueNext"], does: "complete; while a turn runs: send it next" },
  { actions: ["prompt.newLine"], does: "new line", most: 2, also: "\\ enter" },
  { actions: ["turn.interrupt"], does: "stop the turn", most: 2 },
  { actions: ["question.reject", "question.no"], does: "no to a question; a letter says why" },
  { actions: ["question.pageDown", "question.pageUp"], does: "scroll a question" },
  { actions: ["prompt.nextMode"], does: "next mode: default, acceptEdits, plan, auto" },
  { actions: ["prompt.up", "prompt.down"], does: "lines, then history; ↑ takes back what waits" },
  { actions: ["prompt.dropWaiting"], does: "drop what waits last" },
  {
    actions: ["text.lineStart", "text.lineEnd", "text.wordLeft", "text.wordRight"],
    does: "start, end of line · a word back, forward",
  },
  {
    actions: ["text.cutLineEnd", "text.cutLineStart", "text.cutWordBackward"],
    does: "cut to the end, to the start, a word",
  },
  { actions: ["text.paste"], does: "put back what was cut" },
  { actions: ["text.undo"], does: "undo" },
  { actions: ["app.suspend"], does: "suspend; `fg` in the shell comes back" },
  { actions: ["prompt.openFolded"], does: "open what is folded: a paste, the last output" },
  { actions: [], also: "/name · !command · # words", does: "a command · your shell · a line for AGENTS.md" },
  { actions: ["draft.clear"], does: "clear what is typed" },
  { actions: ["app.leave"], does: "twice with nothing typed: leave", most: 2 },
];

const SIGNS: Readonly<Record<string, string>> = {
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  pageup: "PgUp",
  pagedown: "PgDn",
};

/** The keys of a keymap, for `?` and for `/help`. */
export function keyHelp(keymap: Keymap): readonly KeyDescription[] {
  return ROWS.map(({ actions, does, most = 1, also }) => {
    const keys = [...new Set(actions.flatMap((action) => keysOf(keymap, action).slice(0, most)))];
    return { keys: [...joinedKeys(keys), ...(also === undefined ? [] : [also])].join(" · "), does };
  });
}

/** The keys of an action, the most common first. */
export function keysOf(keymap: Keymap, action: KeyAction): readonly string[] {
  return [...new Set(keymap.filter((one) => one.action === action).map(({ key }) => key))];
}

/** `ctrl+a`, `ctrl+e`, `up`, `down`: `ctrl+a e`, `↑ ↓`. */
function joinedKeys(keys: readonly string[]): readonly string[] {
  const groups: { lead: string; words: string[] }[] = [];
  for (const key of keys) {
    const [, lead = "", base = key] = /^((?:ctrl|alt)\+)(.)$/.exec(key) ?? [];
    const sign = SIGNS[base] ?? base;
    const group = groups.at(-1);
    const isAlike = group?.lead === lead && (lead !== "" || SIGNS[base] !== undefined);
    if (group && isAlike) group.words.push(sign);
    else groups.push({ lead, words: [sign] });
  }
  return groups.map(({ lead, words }) => lead + words.join(" "));
}
