import { type KeyHint, keyHints } from "../keymap/key-hint.ts";
import { DEFAULT_KEYMAP, type KeyContext } from "../keymap/keymap.ts";
import type { Theme } from "./theme.ts";

type Keys = Pick<Theme, "keymap">;

/** Hints with the person's keys of a context. */
export function hintsOf({ keymap = DEFAULT_KEYMAP }: Keys, context: KeyContext): KeyHint {
  return keyHints(keymap, context);
}

/**
 * ` · ctrl+o`: the key that opens the whole transcript, after a text; empty on a plain screen, which has no such key.
 */
export function opensTranscript(theme: Keys): string {
  return hintAfter(hintsOf(theme, "prompt")("", "prompt.openTranscript"));
}

/** Separates a hint from the preceding text. */
export function hintAfter(hint: string): string {
  return hint === "" ? "" : ` · ${hint}`;
}
