import type { KeyAction } from "../keymap/key-actions.ts";
import * as edit from "./editor-state.ts";

type Operation = (editor: edit.Editor) => edit.Editor;

const OPERATIONS: { readonly [Action in KeyAction]?: Operation } = {
  "text.left": edit.moveLeft,
  "text.right": edit.moveRight,
  "text.wordLeft": edit.moveWordLeft,
  "text.wordRight": edit.moveWordRight,
  "text.lineStart": edit.moveLineStart,
  "text.lineEnd": edit.moveLineEnd,
  "text.deleteBackward": edit.deleteBackward,
  "text.deleteForward": edit.deleteForward,
  "text.cutPartBackward": edit.killPartBackward,
  "text.cutWordBackward": edit.killWordBackward,
  "text.cutWordForward": edit.killWordForward,
  "text.cutLineStart": edit.killLineStart,
  "text.cutLineEnd": edit.killLineEnd,
  "text.paste": edit.yank,
  "text.undo": edit.undoEdit,
};

/** The text after an editing action, as in a shell. @returns undefined for an action that does not edit text. */
export function editText(editor: edit.Editor, action: KeyAction): edit.Editor | undefined {
  return OPERATIONS[action]?.(editor);
}
