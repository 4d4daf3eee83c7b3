import { insertText } from "../editor/editor-state.ts";
import type { Action } from "./layer.ts";
import { changeDraft } from "./prompt-layer.ts";
import { type Handled, stay, type Ui } from "./ui-state.ts";

/** A `/` as the first key begins a command in the empty prompt, and closes the list or text that is open. */
export function beginCommand(ui: Ui, action: Action, nowMs: number): Handled | undefined {
  if (action.type !== "text" || !action.text.startsWith("/") || ui.editor.text !== "") return undefined;
  const closed = { ...ui, picker: undefined, marking: undefined, view: undefined };
  return stay(changeDraft(closed, insertText(ui.editor, action.text), nowMs));
}
