import type { KeyAction } from "../keymap/key-actions.ts";
import { hiddenLines } from "../view/picker-lines.ts";
import { commandLayer } from "./command-layer.ts";
import { markedSuggestion, markSuggestion, shownSuggestions } from "./field-suggestions.ts";
import type { Action, Layer } from "./layer.ts";
import { changedQuestion, GUARD_MS } from "./question.ts";
import { type FieldInput, type Handled, running, stay, type Ui, type UiContext } from "./ui-state.ts";

/** Longer than any key. */
const MAX_CHARS = 16_384;

/** A line whose characters are not shown. The typed text never enters the prompt or its history. */
export function hiddenInputLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { hidden } = ui;
  if (!hidden) return undefined;
  const layer: Layer = {
    contexts: ["hidden", "app"],
    draft: hidden.text === "" ? "empty" : "typed",
    place: "whole",
    isPanel: true,
    handle: (action) => handle(ui, hidden, action, context),
    lines: (room) => hiddenLines(hidden, room),
  };
  return commandLayer(layer, hidden.title, ui, context);
}

function handle(ui: Ui, hidden: FieldInput, action: Action, { nowMs }: UiContext): Handled {
  const keep = (text: string) => {
    const { mark: _, ...field } = hidden;
    return stay({ ...ui, hidden: { ...field, text: text.slice(0, MAX_CHARS) } });
  };
  const marked = markedSuggestion(hidden);
  const done = (text: string | undefined): Handled => ({
    // A question that waited behind the field is not answered by its last key.
    ui: changedQuestion({ ...ui, hidden: undefined }, { guardedUntil: nowMs + GUARD_MS, typing: undefined }),
    effects: hidden.taskId === undefined ? [{ type: "hidden", text }] : message(hidden.taskId, text),
  });
  if (action.type === "text") return keep(hidden.text + action.text);
  // A copied key often ends with a line break.
  if (action.type === "paste") return keep(hidden.text + action.text.trim());
  const perform: { readonly [Name in KeyAction]?: () => Handled } = {
    "hidden.accept": () => {
      if (marked !== undefined) return done(marked);
      return hidden.text.trim() === "" && !hidden.canBeEmpty ? stay(ui) : done(hidden.text.trim());
    },
    "hidden.complete": () => keep(marked ?? shownSuggestions(hidden)[0] ?? hidden.text),
    "hidden.previous": () => stay({ ...ui, hidden: markSuggestion(hidden, -1) }),
    "hidden.next": () => stay({ ...ui, hidden: markSuggestion(hidden, 1) }),
    "hidden.cancel": () => left(done(undefined), hidden.back),
    "hidden.deleteBackward": () => keep([...hidden.text].slice(0, -1).join("")),
    "hidden.clear": () => keep(""),
  };
  return perform[action.name]?.() ?? stay(ui);
}

/** A form that was opened from a list returns to the list. */
function left(handled: Handled, back: string | undefined): Handled {
  return { ...handled, effects: [...handled.effects, ...running(handled.ui, back).effects] };
}

function message(id: string, text: string | undefined): Handled["effects"] {
  return text === undefined ? [] : [{ type: "task", does: "message", id, text }];
}
