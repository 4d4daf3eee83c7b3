import type { KeyDescription } from "../../../contracts/command.ts";
import type { KeyAction } from "./key-actions.ts";
import { keysOf, shownKey } from "./key-help.ts";
import type { Keymap } from "./keymap.ts";

type HelpRow = {
  /** Keys that are shown together. */
  readonly actions: readonly KeyAction[];
  /** The maximum number of keys shown for each action; 1 by default. */
  readonly most?: number;
  readonly does: string;
};

/** The rows of the short list of keys, the most used first; the reference lists all keys. */
const ROWS: readonly HelpRow[] = [
  { actions: ["help.toggle"], does: "again: search all" },
  { actions: ["prompt.submit"], does: "send" },
  { actions: ["prompt.queueNext"], does: "send after this turn" },
  { actions: ["prompt.newLine"], most: 2, does: "new line" },
  { actions: ["turn.interrupt"], most: 2, does: "stop the turn" },
  { actions: ["turn.background"], does: "go on, don't wait" },
  { actions: ["prompt.nextMode"], does: "permission mode" },
  { actions: ["question.no"], does: "no to a question" },
  { actions: ["question.pageUp", "question.pageDown"], does: "scroll a question" },
  { actions: ["prompt.up", "prompt.down"], does: "history, agents" },
  { actions: ["search.open"], does: "search the history" },
  { actions: ["prompt.openEditor"], does: "draft in your editor" },
  { actions: ["prompt.stash"], does: "put the draft aside" },
  { actions: ["text.lineStart", "text.lineEnd"], does: "start, end of line" },
  { actions: ["text.cutLineStart", "text.cutLineEnd"], does: "cut to start, to end" },
  { actions: ["text.cutWordBackward", "text.paste", "text.undo"], does: "cut word, paste, undo" },
  { actions: ["prompt.openTranscript"], does: "whole transcript" },
  { actions: ["prompt.openPaste"], does: "open a folded paste" },
  { actions: ["draft.clear"], does: "clear the draft" },
  { actions: ["app.suspend"], does: "suspend Quoll" },
  { actions: ["app.leave"], most: 2, does: "pressed twice: leave" },
];
/** Text that is typed, not a key. */
const TYPED: readonly KeyDescription[] = [
  { keys: "/name", does: "a command" },
  { keys: "@name", does: "a file or a folder" },
  { keys: "!command", does: "your shell" },
  { keys: "# words", does: "a line for AGENTS.md" },
];

/** The most used keys of a keymap, for `?`, each with a few words. An action without a key is left out. */
export function shortKeys(keymap: Keymap): readonly KeyDescription[] {
  const rows = ROWS.map(({ actions, most = 1, does }) => {
    const keys = [...new Set(actions.flatMap((action) => keysOf(keymap, action).slice(0, most)))];
    return { keys: joinedKeys(keys).join(" · "), does };
  });
  return [...rows.filter(({ keys }) => keys !== ""), ...TYPED];
}

/** `ctrl+a`, `ctrl+e`, `up`, `down`: `ctrl+a e`, `↑ ↓`. */
function joinedKeys(keys: readonly string[]): readonly string[] {
  const groups: { lead: string; words: string[] }[] = [];
  for (const key of keys) {
    const [, lead = "", base = key] = /^((?:ctrl|alt)\+)(.)$/.exec(key) ?? [];
    const sign = shownKey(base);
    const group = groups.at(-1);
    const isAlike = group?.lead === lead && (lead !== "" || sign !== base);
    if (group && isAlike) group.words.push(sign);
    else groups.push({ lead, words: [sign] });
  }
  return groups.map(({ lead, words }) => lead + words.join(" "));
}
