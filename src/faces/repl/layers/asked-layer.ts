import { choiceLayer } from "./choice-layer.ts";
import type { Layer } from "./layer.ts";
import { questionLayer } from "./question-layer.ts";
import type { Ui, UiContext } from "./ui-state.ts";

/** The question that is open, of whatever kind. Its code is loaded with the first question. */
export function askedLayer(ui: Ui, context: UiContext): Layer | undefined {
  return questionLayer(ui, context) ?? choiceLayer(ui, context);
}
