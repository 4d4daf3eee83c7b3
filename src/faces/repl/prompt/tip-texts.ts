import type { KeyAction } from "../keymap/key-actions.ts";
import { shownKey } from "../keymap/key-help.ts";
import { boundKey, type KeyContext, type Keymap } from "../keymap/keymap.ts";

/** A text, in which `{}` is the key of an action at the prompt. */
type Tip = readonly [text: string, action?: KeyAction];

const CONTEXTS: readonly KeyContext[] = ["prompt", "text", "idle", "app"];

const TIPS: readonly Tip[] = [
  ["{} changes the permission mode", "prompt.nextMode"],
  ["/rewind takes back what a prompt changed in your files"],
  ["{} opens the whole conversation with every result", "prompt.openTranscript"],
  ["@ before a name gives the model a file or a folder"],
  ["{} sends what you type as the next turn", "prompt.queueNext"],
  ["/diff shows every change of this session"],
  ["!command runs in your shell, and the model reads its output"],
  ["{} searches your earlier prompts", "search.open"],
  ["/context shows what fills the model's window"],
  ["{} opens your draft in an editor", "prompt.openEditor"],
  ["# and words add a line to AGENTS.md"],
  ["{} pastes an image", "prompt.pasteImage"],
  ["/permissions shows what may run without a question"],
  ["{} puts your draft aside; pressed again, it comes back", "prompt.stash"],
  ["/btw asks something that the conversation does not keep"],
  ["{} opens the list of models", "prompt.chooseModel"],
  ["quoll --continue opens the last conversation of a folder again"],
];

/** The tips from number `first` on, around the end of the list: those whose action has a key. */
export function tipsFrom(keymap: Keymap, first: number): readonly { readonly at: number; readonly text: string }[] {
  return TIPS.flatMap((_, n) => {
    const at = (first + n) % TIPS.length;
    const text = tipText(keymap, TIPS[at]);
    return text === undefined ? [] : [{ at, text }];
  });
}

function tipText(keymap: Keymap, [text, action]: Tip = [""]): string | undefined {
  if (action === undefined) return text;
  const key = CONTEXTS.map((context) => boundKey(keymap, context, action)).find((one) => one !== undefined);
  return key === undefined ? undefined : text.replace("{}", shownKey(key));
}
