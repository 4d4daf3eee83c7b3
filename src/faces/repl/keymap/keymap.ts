import type { KeyAction } from "./key-actions.ts";

/**
 * The contexts of key bindings, with their descriptions for the guide. A layer lists its contexts, the narrowest first.
 */
export const KEY_CONTEXTS = {
  idle: "nothing runs",
  turn: "a turn runs",
  stopping: "a turn is being stopped",
  operation: "a command runs",
  menu: "commands or keys are shown",
  held: "a question waits while you type",
  question: "a question is open",
  term: "a question asks for how long",
  reason: "words with an answer are typed",
  choice: "the model's questions are open",
  words: "the line for your own answer is open",
  list: "a list is open",
  search: "the history is searched",
  vimInsert: "vim's insert mode",
  vimPending: "vim's visual mode, or an incomplete command",
  vimNormal: "vim's normal mode",
  hidden: "a hidden line is open",
  view: "a text is open",
  viewer: "the transcript is open",
  viewerSearch: "the transcript is searched",
  strip: "the rows of agents and shells are entered",
  watch: "the output of an agent or shell is open",
  trust: "the question about trust is open",
  app: "everywhere",
  prompt: "the prompt",
  completion: "commands or mentions are offered",
  help: "the keys are shown",
  text: "a text",
  /** The text is the rest of a "no" to a question that was closed; Enter was meant for that question. */
  lateReason: "a settled question left a typed reason",
  /** A key may still be meant for the previous question. */
  guarded: "a question has just come",
} as const;
export type KeyContext = keyof typeof KEY_CONTEXTS;

/** The state of the draft: whether it contains text. */
export type DraftState = "empty" | "typed";

export type KeyBinding = {
  /** `esc`, `ctrl+c`: see `keyName`. The keys of a chord with blanks between them: `ctrl+x ctrl+e`. */
  readonly key: string;
  readonly context: KeyContext;
  /** Absent if the binding applies to both states of the draft. */
  readonly draft?: DraftState;
  readonly action: KeyAction;
};

/** The first matching binding is used, so a user's keymap puts its own bindings first. */
export type Keymap = readonly KeyBinding[];

/** The keys that stop work; the guide has a table of them. */
export const STOP_KEYS = ["esc", "ctrl+c", "ctrl+d"] as const;

/** Keys, their action, and whether text must have been typed. The keys of a chord have a comma between them. */
type Row = readonly [keys: string, action: KeyAction, draft?: DraftState];

const DEFAULTS: Readonly<Record<KeyContext, readonly Row[]>> = {
  idle: [
    ["esc", "prompt.rewindTwice", "empty"],
    ["esc", "draft.clearTwice", "typed"],
    ["ctrl+c ctrl+d", "app.leave", "empty"],
    ["ctrl+c", "draft.clear", "typed"],
    ["ctrl+d", "text.deleteForward", "typed"],
  ],
  turn: [
    ["esc ctrl+c", "turn.interrupt"],
    // The chord is for terminals inside tmux, which uses ctrl+b itself.
    ["ctrl+b ctrl+x,ctrl+b", "turn.background"],
    ["ctrl+d", "app.leave", "empty"],
    ["ctrl+d", "text.deleteForward", "typed"],
  ],
  stopping: [
    ["esc", "none"],
    // A person must be able to leave even if a turn does not stop.
    ["ctrl+c", "app.leave"],
    ["ctrl+d", "app.leave", "empty"],
    ["ctrl+d", "text.deleteForward", "typed"],
  ],
  operation: [["esc ctrl+c", "turn.interrupt"]],
  menu: [["esc", "menu.close"]],
  completion: [
    ["tab", "menu.complete"],
    ["enter", "menu.accept"],
    ["up", "menu.previous"],
    ["down", "menu.next"],
    ["pageup", "menu.pageUp"],
    ["pagedown", "menu.pageDown"],
  ],
  help: [
    ["pageup", "help.pageUp"],
    ["pagedown", "help.pageDown"],
  ],
  held: [
    ["esc", "none"],
    ["ctrl+c", "turn.interrupt"],
    ["ctrl+d", "none", "empty"],
    ["ctrl+d", "text.deleteForward", "typed"],
    ["pageup", "question.pageUp"],
    ["pagedown", "question.pageDown"],
  ],
  lateReason: [["enter", "none"]],
  guarded: [["ctrl+c", "turn.interrupt"]],
  question: [
    ["esc", "question.reject"],
    ["ctrl+c", "turn.interrupt"],
    ["ctrl+d", "none"],
    ["1 2 3 4 5 6 7 8 9", "question.answer"],
    ["0", "question.no"],
    ["enter", "question.accept"],
    ["tab", "question.words"],
    ["shift+tab", "prompt.nextMode"],
    ["ctrl+e", "question.explain"],
    ["left", "question.previous"],
    ["right", "question.next"],
    ["up", "question.up"],
    ["down", "question.down"],
    ["shift+up", "question.lineUp"],
    ["shift+down", "question.lineDown"],
    ["pageup", "question.pageUp"],
    ["pagedown", "question.pageDown"],
    ["home", "question.top"],
    ["end", "question.bottom"],
    ["space", "question.toggle"],
    ["+", "question.takeAll"],
    ["-", "question.takeNone"],
    ["ctrl+g ctrl+x,ctrl+e", "question.edit"],
    ["ctrl+o", "prompt.openTranscript"],
  ],
  term: [
    ["esc", "term.back"],
    ["ctrl+c", "turn.interrupt"],
    ["ctrl+d", "none"],
  ],
  reason: [
    ["enter", "reason.send"],
    ["esc", "reason.back"],
    ["ctrl+c", "turn.interrupt"],
    ["ctrl+d", "none", "empty"],
    ["ctrl+d", "text.deleteForward", "typed"],
  ],
  choice: [
    ["esc", "choice.close"],
    ["ctrl+c", "turn.interrupt"],
    ["ctrl+d", "none"],
    ["1 2 3 4 5 6 7 8 9", "choice.pick"],
    ["enter", "choice.accept"],
    ["space", "choice.toggle"],
    ["up", "choice.up"],
    ["down", "choice.down"],
    ["left", "choice.previous"],
    ["right tab", "choice.next"],
    ["shift+tab", "prompt.nextMode"],
    ["pageup", "choice.pageUp"],
    ["pagedown", "choice.pageDown"],
    ["ctrl+o", "prompt.openTranscript"],
  ],
  words: [
    ["enter", "words.send"],
    ["esc", "words.back"],
    ["up", "words.back"],
    ["ctrl+c", "turn.interrupt"],
    ["ctrl+d", "none", "empty"],
    ["ctrl+d", "text.deleteForward", "typed"],
  ],
  list: [
    ["esc", "list.close", "empty"],
    ["esc", "list.clearFilter", "typed"],
    ["ctrl+c", "list.close"],
    ["ctrl+d", "none"],
    ["enter", "list.accept"],
    ["up left shift+tab", "list.previous"],
    ["down right tab", "list.next"],
    ["pageup", "list.pageUp"],
    ["pagedown", "list.pageDown"],
    ["home", "list.top"],
    ["end", "list.bottom"],
    ["ctrl+backspace alt+backspace", "list.clearFilter"],
    ["backspace", "list.deleteBackward"],
  ],
  search: [
    ["esc ctrl+c", "search.close"],
    ["ctrl+d", "none"],
    ["enter tab", "search.accept"],
    ["down ctrl+r ctrl+n", "search.older"],
    ["up ctrl+p", "search.newer"],
    ["ctrl+s", "search.scope"],
    ["backspace ctrl+h", "search.deleteBackward"],
    ["ctrl+u ctrl+backspace alt+backspace", "search.clear"],
  ],
  vimInsert: [["esc", "vim.normal"]],
  vimPending: [["esc", "vim.normal"]],
  vimNormal: [["ctrl+r", "vim.redo"]],
  hidden: [
    ["esc ctrl+c", "hidden.cancel"],
    ["ctrl+d", "none"],
    ["enter", "hidden.accept"],
    ["tab", "hidden.complete"],
    ["up", "hidden.previous"],
    ["down", "hidden.next"],
    ["backspace", "hidden.deleteBackward"],
    ["ctrl+u", "hidden.clear"],
  ],
  view: [
    ["esc ctrl+c q", "view.close"],
    ["ctrl+d", "none"],
    ["up k wheelup", "view.lineUp"],
    ["down j wheeldown", "view.lineDown"],
    ["pageup", "view.pageUp"],
    ["pagedown space", "view.pageDown"],
    ["home g", "view.top"],
    ["end", "view.bottom"],
  ],
  viewer: [
    ["esc q ctrl+o ctrl+c", "viewer.close"],
    ["ctrl+d", "none"],
    ["up k wheelup", "viewer.lineUp"],
    ["down j enter wheeldown", "viewer.lineDown"],
    ["pageup b", "viewer.pageUp"],
    ["pagedown space", "viewer.pageDown"],
    ["home g", "viewer.top"],
    ["end G", "viewer.bottom"],
    ["[ ctrl+up", "viewer.previousTurn"],
    ["] ctrl+down", "viewer.nextTurn"],
    ["shift+tab", "viewer.previousBlock"],
    ["tab", "viewer.nextBlock"],
    ["c", "viewer.copy"],
    ["x", "viewer.takeBack"],
    ["/", "viewer.search"],
    ["n", "viewer.nextMatch"],
    ["N", "viewer.previousMatch"],
    ["?", "viewer.keys"],
  ],
  viewerSearch: [
    ["esc ctrl+c", "viewerSearch.cancel"],
    ["ctrl+d", "none"],
    ["enter", "viewerSearch.accept"],
    ["down", "viewer.nextMatch"],
    ["up", "viewer.previousMatch"],
    ["backspace ctrl+h", "viewerSearch.deleteBackward"],
    ["ctrl+u", "viewerSearch.clear"],
  ],
  strip: [
    ["esc", "strip.leave"],
    ["up", "strip.previous"],
    ["down", "strip.next"],
    ["enter", "strip.watch"],
    // Printable keys go to the prompt.
    ["delete backspace", "strip.stop"],
    ["tab", "strip.message"],
  ],
  watch: [
    ["delete backspace x", "strip.stop"],
    ["tab m", "strip.message"],
  ],
  trust: [
    ["esc ctrl+c ctrl+d", "trust.leave"],
    ["1 2 3 0", "trust.answer"],
    ["enter", "trust.accept"],
    ["up left shift+tab", "trust.previous"],
    ["down right tab", "trust.next"],
    ["k", "trust.lineUp"],
    ["j", "trust.lineDown"],
    ["pageup", "trust.pageUp"],
    ["pagedown space", "trust.pageDown"],
  ],
  app: [
    ["ctrl+z", "app.suspend"],
    ["ctrl+l", "app.redraw"],
    ["wheelup", "screen.lineUp"],
    ["wheeldown", "screen.lineDown"],
    ["pageup", "screen.pageUp"],
    ["pagedown", "screen.pageDown"],
    ["ctrl+home", "screen.top"],
    ["ctrl+end", "screen.bottom"],
    ["click", "screen.tellSelection"],
  ],
  prompt: [
    ["enter", "prompt.submit"],
    ["tab", "prompt.queueNext"],
    ["shift+enter ctrl+j alt+enter ctrl+enter", "prompt.newLine"],
    ["shift+tab", "prompt.nextMode"],
    ["up", "prompt.up"],
    ["down", "prompt.down"],
    ["ctrl+x,ctrl+k", "agents.stopAll"],
    ["ctrl+r", "search.open"],
    ["ctrl+v alt+v", "prompt.pasteImage"],
    ["ctrl+g ctrl+x,ctrl+e", "prompt.openEditor"],
    ["ctrl+s", "prompt.stash"],
    ["alt+p", "prompt.chooseModel"],
    ["alt+t", "prompt.chooseThinking"],
    ["shift+left", "select.left"],
    ["shift+right", "select.right"],
    ["shift+up", "select.up"],
    ["shift+down", "select.down"],
    ["ctrl+shift+left alt+shift+left", "select.wordLeft"],
    ["ctrl+shift+right alt+shift+right", "select.wordRight"],
    ["shift+home", "select.lineStart"],
    ["shift+end", "select.lineEnd"],
    ["ctrl+o", "prompt.openTranscript"],
    ["ctrl+x,ctrl+o alt+u", "prompt.printFolded"],
    ["alt+o", "prompt.openPaste"],
    ["ctrl+t", "prompt.foldSteps"],
    ["?", "help.toggle", "empty"],
    ["home", "screen.top", "empty"],
    ["end", "screen.bottom", "empty"],
  ],
  text: [
    ["left ctrl+b", "text.left"],
    ["right ctrl+f", "text.right"],
    ["alt+b ctrl+left alt+left", "text.wordLeft"],
    ["alt+f ctrl+right alt+right", "text.wordRight"],
    ["ctrl+a home", "text.lineStart"],
    ["ctrl+e end", "text.lineEnd"],
    ["backspace ctrl+h", "text.deleteBackward"],
    ["delete ctrl+d", "text.deleteForward"],
    ["ctrl+backspace alt+backspace", "text.cutPartBackward"],
    ["ctrl+w", "text.cutWordBackward"],
    ["ctrl+delete alt+delete alt+d", "text.cutWordForward"],
    ["ctrl+u", "text.cutLineStart"],
    ["ctrl+k", "text.cutLineEnd"],
    ["ctrl+y", "text.paste"],
    ["ctrl+_ ctrl+-", "text.undo"],
  ],
};

/** The default bindings. */
export const DEFAULT_KEYMAP: Keymap = bindingsOf(DEFAULTS);

/** Plain loops, because the start makes some 250 bindings before the first frame. */
function bindingsOf(defaults: typeof DEFAULTS): Keymap {
  const bindings: KeyBinding[] = [];
  for (const [context, rows] of Object.entries(defaults) as [KeyContext, (typeof DEFAULTS)[KeyContext]][]) {
    for (const [keys, action, draft] of rows) {
      for (const word of keys.split(" ")) {
        const key = word.includes(",") ? word.replaceAll(",", " ") : word;
        bindings.push(draft ? { key, context, action, draft } : { key, context, action });
      }
    }
  }
  return bindings;
}

/** The action of a key in a layer's contexts. @returns undefined for an unbound key. */
export function boundAction(
  keymap: Keymap,
  key: string,
  contexts: readonly KeyContext[],
  draft: DraftState,
): KeyAction | undefined {
  for (const context of contexts) {
    const found = keymap.find((one) => one.key === key && one.context === context && (one.draft ?? draft) === draft);
    if (found) return found.action;
  }
  return undefined;
}

/**
 * The key of an action in a context; a person's own key comes before a default key.
 * @returns undefined if the action has no key.
 */
export function boundKey(keymap: Keymap, context: KeyContext, action: KeyAction): string | undefined {
  const isFirst = ({ key, draft = "empty" }: KeyBinding) => boundAction(keymap, key, [context], draft) === action;
  return keymap.find((one) => one.action === action && one.context === context && isFirst(one))?.key;
}

/** The keys that can follow the keys pressed so far, in a layer's contexts: `ctrl+e` after `ctrl+x`. */
export function chordKeys(
  keymap: Keymap,
  pressed: string,
  contexts: readonly KeyContext[],
  draft: DraftState,
): readonly string[] {
  const begun = `${pressed} `;
  const found = keymap.filter(
    (one) => one.key.startsWith(begun) && contexts.includes(one.context) && (one.draft ?? draft) === draft,
  );
  return [...new Set(found.map(({ key }) => key.slice(begun.length).split(" ", 1)[0] ?? ""))];
}
