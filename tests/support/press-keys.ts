import { decodeKeys, emptyDecoder, flushKeys, type KeyEvent } from "../../src/faces/repl/input/decode-keys.ts";
import { askedLayer } from "../../src/faces/repl/layers/asked-layer.ts";
import { handleKey, type StackContext } from "../../src/faces/repl/layers/layer-stack.ts";
import type { Effect, Ui } from "../../src/faces/repl/layers/ui-state.ts";

/** Presses keys as a terminal would send them, each piece by itself. */
export function pressKeys(
  ui: Ui,
  context: StackContext,
  ...pieces: readonly string[]
): { ui: Ui; effects: readonly Effect[] } {
  let now = ui;
  const effects: Effect[] = [];
  for (const piece of pieces) {
    const decoded = decodeKeys(emptyDecoder, piece);
    for (const event of [...decoded.events, ...flushKeys(decoded.decoder).events]) {
      const handled = handleKey(now, event as KeyEvent, { askedLayer, ...context });
      now = handled.ui;
      effects.push(...handled.effects);
    }
  }
  return { ui: now, effects };
}
