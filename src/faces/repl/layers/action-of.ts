import type { KeyEvent } from "../input/decode-keys.ts";
import { keyName, keyNames } from "../keymap/key-name.ts";
import { boundAction, chordKeys, type Keymap } from "../keymap/keymap.ts";
import type { Action, Layer } from "./layer.ts";

type Bound = Omit<Layer, "handle" | "lines" | "passed" | "press">;

/** The keys that can follow in a layer after the keys pressed so far. */
export function keysAfter(pressed: string, { contexts, draft }: Bound, keymap: Keymap): readonly string[] {
  return chordKeys(keymap, pressed, contexts, draft);
}

/** The action of a chord in a layer. @returns undefined if the chord has no action. */
export function actionOfChord(pressed: string, { contexts, draft }: Bound, keymap: Keymap): Action | undefined {
  const name = boundAction(keymap, pressed, contexts, draft);
  return name && { type: "key", name, key: pressed };
}

/** The action of a key in a layer. @returns undefined if the key has no binding there. */
export function actionOf(event: KeyEvent, layer: Bound, keymap: Keymap): Action | undefined {
  const key = keyName(event);
  if (key !== undefined) {
    const { bindings = [], contexts, draft, place } = layer;
    const bound = [...bindings, ...keymap];
    // A layer that passes keys on must not take `shift+enter` for `enter`.
    for (const one of place === "whole" ? keyNames(key) : [key]) {
      const name = boundAction(bound, one, contexts, draft);
      if (name !== undefined) return { type: "key", name, key: one };
    }
  }
  return event.type === "key" ? undefined : event;
}
