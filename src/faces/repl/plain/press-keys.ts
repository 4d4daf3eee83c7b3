import type { KeyEvent } from "../input/decode-keys.ts";
import { handleKey, type StackContext } from "../layers/layer-stack.ts";
import { type Handled, stay, type Ui } from "../layers/ui-state.ts";

/** The effect of a typed line. */
export type TakenLine = Handled & {
  /** The line for the person if their line could not be used. */
  readonly says?: string;
  /** The first choice to tell of the open list, from 0; absent to tell the list from its beginning. */
  readonly from?: number;
};

/** Presses keys one after the other, as the normal screen would. */
export function pressed(ui: Ui, context: StackContext, ...events: readonly KeyEvent[]): Handled {
  return events.reduce<Handled>((before, event) => {
    const { ui: next, effects } = handleKey(before.ui, event, context);
    return { ui: next, effects: [...before.effects, ...effects] };
  }, stay(ui));
}

export function text(line: string): KeyEvent {
  return { type: "text", text: line };
}
