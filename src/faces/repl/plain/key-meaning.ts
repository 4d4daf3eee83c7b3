import { cleanPaste } from "../editor/pastes.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { keyName, keyNames } from "../keymap/key-name.ts";
import { boundAction, chordKeys, type DraftState, type KeyContext, type Keymap } from "../keymap/keymap.ts";

/** The effect of a key on a plain screen. */
export type Meaning =
  | { readonly does: "type"; readonly text: string }
  /** Moves the cursor in the line, or deletes. */
  | { readonly does: "edit"; readonly action: KeyAction }
  /** Acts on the session as on the normal screen. */
  | { readonly does: "act"; readonly action: KeyAction; readonly key: string }
  /** The normal screen has an action for this key, the plain screen has none. */
  | { readonly does: "absent"; readonly key: string }
  | { readonly does: PlainAction | "nothing" };
type PlainAction =
  | "enter"
  | "break"
  | "complete"
  | "older"
  | "newer"
  | "escape"
  | "interrupt"
  | "end"
  | "leave"
  | "stop"
  | "clear"
  | "suspend"
  | "transcript"
  | "keys"
  | "editor";

/** Keys that no person can rebind. Unlike on the normal screen, they leave at the first press. */
const FIXED: Readonly<Record<string, PlainAction>> = { "ctrl+c": "interrupt", "ctrl+d": "end" };

/** The actions of the keymap that a plain screen has. Those of a text edit the line. */
const ACTIONS: { readonly [Action in KeyAction]?: PlainAction } = {
  "prompt.submit": "enter",
  "prompt.newLine": "break",
  "menu.complete": "complete",
  "prompt.up": "older",
  "prompt.down": "newer",
  "turn.interrupt": "stop",
  // Without a turn, esc has an effect only in a list or a question.
  "prompt.rewindTwice": "escape",
  "draft.clearTwice": "escape",
  "draft.clear": "clear",
  "app.leave": "leave",
  "app.suspend": "suspend",
  "prompt.openTranscript": "transcript",
  "prompt.printFolded": "transcript",
  "help.toggle": "keys",
  "prompt.openEditor": "editor",
};
const ACTING: ReadonlySet<KeyAction> = new Set<KeyAction>([
  "prompt.nextMode",
  "turn.background",
  "agents.stopAll",
  "prompt.chooseModel",
  "prompt.chooseThinking",
]);
const ABSENT: ReadonlySet<KeyAction> = new Set<KeyAction>([
  "search.open",
  "prompt.pasteImage",
  "prompt.stash",
  "prompt.openPaste",
  "prompt.foldSteps",
]);

/** True for an action that a plain screen performs. */
export function isPlainAction(action: KeyAction): boolean {
  return ACTIONS[action] !== undefined || ACTING.has(action) || action.startsWith("text.");
}

/** The contexts of the keymap that count on a plain screen, the narrowest first. */
export function plainContexts(isBusy: boolean): readonly KeyContext[] {
  return [isBusy ? "turn" : "idle", "prompt", "text", "app"];
}

/** The maximum time between two keys of a chord. */
const CHORD_MS = 3_000;

type About = {
  readonly keymap: Keymap;
  readonly isBusy: boolean;
  readonly nowMs: number;
  readonly draft: DraftState;
  /** True while a question, a list or a field is open. */
  readonly isAsked: boolean;
};

/** Finds what keys do, by the person's own keymap. Remembers the first keys of a chord. */
export class KeyMeanings {
  #chord: { readonly keys: string; readonly until: number } | undefined;

  of(event: KeyEvent, about: About): Meaning {
    const { nowMs } = about;
    const key = keyName(event);
    const chord = this.#chord;
    this.#chord = undefined;
    const isChord = chord !== undefined && key !== undefined && nowMs <= chord.until && FIXED[key] === undefined;
    const keys = isChord ? `${chord.keys} ${key}` : key;
    // A typed character begins no chord.
    if (keys === undefined || (event.type !== "key" && !isChord)) return typed(event);
    if (chordKeys(about.keymap, keys, plainContexts(about.isBusy), about.draft).length > 0) {
      this.#chord = { keys, until: nowMs + CHORD_MS };
      return { does: "nothing" };
    }
    if (!isChord) return meaningOf(keys, about);
    const found = actionOf(keys, about);
    // Text after a key that was pressed by mistake is kept.
    return found ? meaningOfAction(found, keys) : typed(event);
  }
}

function typed(event: KeyEvent): Meaning {
  if (event.type === "key") return { does: "nothing" };
  // A carriage return would move the cursor.
  const text = event.type === "paste" ? cleanPaste(event.text).replace(/\n$/, "") : event.text;
  return { does: "type", text };
}

function meaningOf(key: string, about: About): Meaning {
  const fixed = FIXED[key];
  if (fixed) return { does: fixed };
  // Whatever a person bound to it, esc goes back.
  if (key === "esc" && about.isAsked) return { does: "escape" };
  for (const one of keyNames(key)) {
    const action = actionOf(one, about);
    const meaning = action && meaningOfAction(action, key);
    // A selection has no meaning here, so shift+left moves as left does.
    if (action === "none" || (meaning && meaning.does !== "nothing")) return meaning ?? { does: "nothing" };
  }
  return { does: "nothing" };
}

function actionOf(key: string, { keymap, isBusy, draft }: About): KeyAction | undefined {
  const completes = boundAction(keymap, key, ["completion"], draft) === "menu.complete";
  return completes ? "menu.complete" : boundAction(keymap, key, plainContexts(isBusy), draft);
}

function meaningOfAction(action: KeyAction, key: string): Meaning {
  const does = ACTIONS[action];
  if (does) return { does };
  if (ACTING.has(action)) return { does: "act", action, key };
  if (ABSENT.has(action)) return { does: "absent", key };
  return action.startsWith("text.") ? { does: "edit", action } : { does: "nothing" };
}
