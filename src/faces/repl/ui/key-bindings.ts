/** Who takes a key, by what is open. */
export const KEY_STATES = {
  idle: "nothing runs",
  turn: "a turn runs",
  stopping: "a turn is being stopped",
  menu: "commands or keys are shown",
  held: "a question waits while you type",
  question: "a question is open",
  term: "a question asks for how long",
  reason: "`no, because …` is open",
  list: "a list is open",
  hidden: "a hidden line is open",
} as const;
export type KeyState = keyof typeof KEY_STATES;

/** What a key can do, by the name that a keymap uses for it, with the words of the guide. */
export const KEY_ACTIONS = {
  none: "–",
  "app.leave": "leaves when pressed twice",
  "turn.interrupt": "stops the turn",
  "draft.clear": "clears the draft; ctrl+_ brings it back",
  "text.deleteForward": "deletes the next character",
  "menu.close": "closes it",
  "question.reject": "says no",
  "term.back": "goes back to the answers",
  "reason.back": "goes back and keeps the words",
  "list.close": "closes it",
  "list.clearFilter": "clears the filter",
  "hidden.cancel": "goes back, saves nothing",
} as const;
export type KeyAction = keyof typeof KEY_ACTIONS;

export type KeyBinding = {
  /** `esc`, `ctrl+c`: see `keyName`. */
  readonly key: string;
  readonly state: KeyState;
  /** Whether something is typed there; left out where it makes no difference. */
  readonly draft?: "empty" | "typed";
  readonly action: KeyAction;
};

/** The keys that stop things. */
export const STOP_KEYS = ["esc", "ctrl+c", "ctrl+d"] as const;

/** What they do. The first binding that fits counts, so a keymap puts its own in front. */
export const STOP_BINDINGS: readonly KeyBinding[] = [
  { state: "idle", key: "esc", action: "none" },
  { state: "idle", key: "ctrl+c", draft: "empty", action: "app.leave" },
  { state: "idle", key: "ctrl+c", draft: "typed", action: "draft.clear" },
  { state: "idle", key: "ctrl+d", draft: "empty", action: "app.leave" },
  { state: "idle", key: "ctrl+d", draft: "typed", action: "text.deleteForward" },
  { state: "turn", key: "esc", action: "turn.interrupt" },
  { state: "turn", key: "ctrl+c", action: "turn.interrupt" },
  { state: "turn", key: "ctrl+d", draft: "empty", action: "app.leave" },
  { state: "turn", key: "ctrl+d", draft: "typed", action: "text.deleteForward" },
  // A turn that does not stop must not keep anybody in.
  { state: "stopping", key: "esc", action: "none" },
  { state: "stopping", key: "ctrl+c", action: "app.leave" },
  { state: "stopping", key: "ctrl+d", draft: "empty", action: "app.leave" },
  { state: "stopping", key: "ctrl+d", draft: "typed", action: "text.deleteForward" },
  { state: "menu", key: "esc", action: "menu.close" },
  { state: "held", key: "esc", action: "none" },
  { state: "held", key: "ctrl+c", action: "turn.interrupt" },
  { state: "held", key: "ctrl+d", draft: "empty", action: "none" },
  { state: "held", key: "ctrl+d", draft: "typed", action: "text.deleteForward" },
  { state: "question", key: "esc", action: "question.reject" },
  { state: "question", key: "ctrl+c", action: "turn.interrupt" },
  { state: "question", key: "ctrl+d", action: "none" },
  { state: "term", key: "esc", action: "term.back" },
  { state: "term", key: "ctrl+c", action: "turn.interrupt" },
  { state: "term", key: "ctrl+d", action: "none" },
  { state: "reason", key: "esc", action: "reason.back" },
  { state: "reason", key: "ctrl+c", action: "turn.interrupt" },
  { state: "reason", key: "ctrl+d", draft: "empty", action: "none" },
  { state: "reason", key: "ctrl+d", draft: "typed", action: "text.deleteForward" },
  { state: "list", key: "esc", draft: "empty", action: "list.close" },
  { state: "list", key: "esc", draft: "typed", action: "list.clearFilter" },
  { state: "list", key: "ctrl+c", action: "list.close" },
  { state: "list", key: "ctrl+d", action: "none" },
  { state: "hidden", key: "esc", action: "hidden.cancel" },
  { state: "hidden", key: "ctrl+c", action: "hidden.cancel" },
  { state: "hidden", key: "ctrl+d", action: "none" },
];

/** Where a key goes: what is open, the topmost first, each with whether something is typed there. */
export type KeyFocus = readonly { readonly state: KeyState; readonly draft: "empty" | "typed" }[];

/** @returns undefined for a key that has no binding: it edits, chooses or scrolls. */
export function boundAction(bindings: readonly KeyBinding[], key: string, focus: KeyFocus): KeyAction | undefined {
  for (const { state, draft } of focus) {
    const found = bindings.find((one) => one.key === key && one.state === state && (one.draft ?? draft) === draft);
    if (found) return found.action;
  }
  return undefined;
}
