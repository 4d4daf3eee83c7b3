import type { KeyEvent } from "../input/decode-keys.ts";
import { keyName } from "../keymap/key-name.ts";
import { actionOf } from "./action-of.ts";
import { commonAction } from "./common-actions.ts";
import { completionLayer } from "./completion-layer.ts";
import { helpLayer } from "./help-layer.ts";
import { hiddenInputLayer } from "./hidden-input-layer.ts";
import { historyLayer } from "./history-layer.ts";
import type { Layer } from "./layer.ts";
import { markLayer } from "./mark-layer.ts";
import { operationLayer } from "./operation-layer.ts";
import { pickerLayer } from "./picker-layer.ts";
import { promptLayer } from "./prompt-layer.ts";
import { questionLayer } from "./question-layer.ts";
import { stripLayer } from "./strip-layer.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";
import { viewLayer } from "./view-layer.ts";
import { viewerLayer } from "./viewer-layer.ts";
import { escapedKeys } from "./vim-layer.ts";

/** The open layers, the topmost first; the prompt is always open. Their order is defined only here. */
export function openLayers(ui: Ui, context: UiContext): readonly Layer[] {
  const lists = [helpLayer(ui, context), completionLayer(ui, context)];
  const layers = [
    viewerLayer(ui, context),
    questionLayer(ui, context),
    hiddenInputLayer(ui, context),
    viewLayer(ui, context),
    pickerLayer(ui, context),
    markLayer(ui, context),
    historyLayer(ui, context),
    ...lists,
    // A list below the prompt takes the place of the strip.
    lists.some((list) => list !== undefined) ? undefined : stripLayer(ui, context),
    operationLayer(ui, context),
    promptLayer(ui, context),
  ];
  return layers.filter((layer) => layer !== undefined);
}

/** Handles a key. Pure: side effects are returned as data. */
export function handleKey(ui: Ui, event: KeyEvent, context: UiContext): Handled {
  const escaped = escapedKeys(ui, event);
  if (!escaped) return handleOne(ui, event, context);
  return escaped.reduce<Handled>((before, one) => {
    const { ui: next, effects } = handleOne(before.ui, one, context);
    return { ui: next, effects: [...before.effects, ...effects] };
  }, stay(ui));
}

function handleOne(ui: Ui, event: KeyEvent, context: UiContext): Handled {
  const key = keyName(event);
  const calm: Ui = ui.armed && ui.armed.by !== key ? { ...ui, armed: undefined } : ui;
  const passed: Layer[] = [];
  for (const layer of openLayers(calm, context)) {
    const action = actionOf(event, layer, context.keymap);
    const handled = action && (commonAction(calm, action, context) ?? layer.handle(action));
    if (handled) return passed.reduce((result, above) => above.passed?.(result) ?? result, handled);
    if (layer.place === "whole") break;
    passed.push(layer);
  }
  return passed.reduce((result, above) => above.passed?.(result) ?? result, stay(calm));
}
