import type { KeyDescription } from "../../../contracts/command.ts";
import { KEY_ACTIONS, type KeyAction } from "./key-actions.ts";
import type { Keymap } from "./keymap.ts";

type HelpRow = {
  /** Keys that are shown together; keys with the same description share it. */
  readonly actions: readonly KeyAction[];
  /** The maximum number of keys shown for each action; 1 by default. */
  readonly most?: number;
};

/** The rows of the short list of keys, the most used first; the reference lists all keys. */
const ROWS: readonly HelpRow[] = [
  { actions: ["help.toggle"] },
  { actions: ["prompt.submit"] },
  { actions: ["prompt.queueNext"] },
  { actions: ["prompt.newLine"], most: 2 },
  { actions: ["turn.interrupt"], most: 2 },
  { actions: ["question.no"] },
  { actions: ["question.pageUp", "question.pageDown"] },
  { actions: ["turn.background"] },
  { actions: ["prompt.nextMode"] },
  { actions: ["prompt.up", "prompt.down"] },
  { actions: ["text.lineStart", "text.lineEnd"] },
  { actions: ["text.cutLineStart", "text.cutLineEnd"] },
  { actions: ["text.cutWordBackward", "text.paste", "text.undo"] },
  { actions: ["search.open", "prompt.openEditor", "prompt.stash"] },
  { actions: ["app.suspend"] },
  { actions: ["prompt.openTranscript"] },
  { actions: ["prompt.openPaste"] },
  { actions: ["draft.clear"] },
  { actions: ["app.leave"], most: 2 },
];
/** Text that is typed, not a key. */
const TYPED: readonly KeyDescription[] = [
  { keys: "/name · !cmd · # words", does: "a command · your shell · a line for AGENTS.md" },
];

const SIGNS: Readonly<Record<string, string>> = {
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  pageup: "PgUp",
  pagedown: "PgDn",
  wheelup: "wheel up",
  wheeldown: "wheel down",
};

/** The most used keys of a keymap, for `?` and for `/help`. */
export function keyHelp(keymap: Keymap): readonly KeyDescription[] {
  const rows = ROWS.map(({ actions, most = 1 }) => {
    const keys = [...new Set(actions.flatMap((action) => keysOf(keymap, action).slice(0, most)))];
    const does = [...new Set(actions.map((action) => KEY_ACTIONS[action]))].join(" · ");
    return { keys: joinedKeys(keys).join(" · "), does };
  });
  return [...rows, ...TYPED];
}

/** The keys of an action, the most common first. */
export function keysOf(keymap: Keymap, action: KeyAction): readonly string[] {
  return [...new Set(keymap.filter((one) => one.action === action).map(({ key }) => key))];
}

/** The first two keys of an action as they are shown: `↑ k`. */
export function keyNamesOf(keymap: Keymap, action: KeyAction): string {
  return keysOf(keymap, action).slice(0, 2).map(shownKey).join(" ");
}

/** `up`: `↑`; most keys are shown by their names. */
export function shownKey(key: string): string {
  return SIGNS[key] ?? key;
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
