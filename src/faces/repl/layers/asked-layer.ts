import { choiceLayer } from "./choice-layer.ts";
import type { Layer } from "./layer.ts";
import { questionLayer } from "./question-layer.ts";
import { openRowQuestion, syncQuestion } from "./sync-question.ts";
import type { Ui, UiContext } from "./ui-state.ts";

/** The open question, of whatever kind. */
export function askedLayer(ui: Ui, context: UiContext): Layer | undefined {
  return questionLayer(ui, context) ?? choiceLayer(ui, context);
}

/** The code of questions, which is loaded with the first of them. */
export const questionCode = { askedLayer, syncQuestion, openRowQuestion };
