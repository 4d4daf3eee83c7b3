import { heldLines } from "../view/picker-lines.ts";
import type { Action, Layer } from "./layer.ts";
import { HOLD_MS } from "./question.ts";
import type { Handled, Ui, UiContext } from "./ui-state.ts";

/**
 * The time until which a layer that a command opens now takes no keys, because the person is typing. The time in
 * monotonic milliseconds; `-Infinity` if the layer may take the keys at once.
 */
export function holdEnd({ editor, typedAt, answeredAt }: Ui, nowMs: number): number {
  const isTyping = typedAt > answeredAt && nowMs - typedAt < HOLD_MS;
  // A list that follows the person's own choice is expected, even if a draft is stashed.
  const hasDraft = editor.text !== "" && nowMs - answeredAt >= HOLD_MS;
  return isTyping || hasDraft ? nowMs + HOLD_MS : Number.NEGATIVE_INFINITY;
}

/**
 * A layer for a list, form or text of a command. While the person is still typing, only its title is shown, and the
 * prompt has the keys.
 */
export function commandLayer(layer: Layer, title: string, { heldUntil }: Ui, { nowMs }: UiContext): Layer {
  if (nowMs >= heldUntil) return { ...layer, handle: (action) => used(layer, action, nowMs) };
  return {
    contexts: [],
    draft: layer.draft,
    place: "above",
    handle: () => undefined,
    passed: (below) => ({ ...below, ui: { ...below.ui, heldUntil: nowMs + HOLD_MS } }),
    lines: (room) => ({ lines: heldLines(title, room) }),
  };
}

function used(layer: Layer, action: Action, nowMs: number): Handled | undefined {
  const handled = layer.handle(action);
  return handled && { ...handled, ui: { ...handled.ui, answeredAt: nowMs } };
}
