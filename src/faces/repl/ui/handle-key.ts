import type { KeyEvent } from "../input/decode-keys.ts";
import { hiddenKey } from "./hidden-keys.ts";
import { ACTIONS } from "./key-actions.ts";
import { boundAction, STOP_BINDINGS } from "./key-bindings.ts";
import { keyFocus, keyName } from "./key-focus.ts";
import { pickerKey } from "./picker-keys.ts";
import { promptKey } from "./prompt-keys.ts";
import { heldKey, isGuarded, isHeld, questionKey } from "./question.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** What a key does. Pure: what it asks of the world comes back as effects. */
export function handleKey(ui: Ui, event: KeyEvent, context: UiContext): Handled {
  const key = keyName(event);
  const calm: Ui = ui.armed && ui.armed.by !== key ? { ...ui, armed: undefined } : ui;
  const action = key === undefined ? undefined : boundAction(STOP_BINDINGS, key, keyFocus(calm, context));
  if (isGuarded(calm, context) && action !== "turn.interrupt") return stay(calm);
  if (key !== undefined && action !== undefined && action !== "text.deleteForward") {
    return ACTIONS[action](calm, context, key);
  }
  if (key === "ctrl+z") return { ui: calm, effects: [{ type: "suspend" }] };
  if (isHeld(calm, context.nowMs)) return heldKey(calm, event, context);
  if (calm.asking) return questionKey(calm, calm.asking, event, context);
  if (calm.hidden) return hiddenKey(calm, calm.hidden, event);
  if (calm.picker) return pickerKey(calm, calm.picker, event);
  return promptKey(calm, event, context);
}
