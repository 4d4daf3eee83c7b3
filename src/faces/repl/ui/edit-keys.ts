import * as edit from "../editor/editor-state.ts";
import type { KeyEvent } from "../input/decode-keys.ts";

type Key = Extract<KeyEvent, { type: "key" }>;
type Operation = (editor: edit.Editor) => edit.Editor;

const CTRL: Readonly<Record<string, Operation>> = {
  a: edit.moveLineStart,
  b: edit.moveLeft,
  d: edit.deleteForward,
  e: edit.moveLineEnd,
  f: edit.moveRight,
  h: edit.deleteBackward,
  k: edit.killLineEnd,
  u: edit.killLineStart,
  w: edit.killWordBackward,
  y: edit.yank,
  _: edit.undoEdit,
  "-": edit.undoEdit,
};

const ALT: Readonly<Record<string, Operation>> = {
  b: edit.moveWordLeft,
  d: edit.killWordForward,
  f: edit.moveWordRight,
};

/** What a key does to a text, as in a shell. @returns undefined for a key that edits nothing. */
export function editKey(editor: edit.Editor, { name, char, ctrl, alt }: Key): edit.Editor | undefined {
  const byWord = ctrl || alt;
  switch (name) {
    case "left":
      return byWord ? edit.moveWordLeft(editor) : edit.moveLeft(editor);
    case "right":
      return byWord ? edit.moveWordRight(editor) : edit.moveRight(editor);
    case "home":
      return edit.moveLineStart(editor);
    case "end":
      return edit.moveLineEnd(editor);
    case "backspace":
      return byWord ? edit.killPartBackward(editor) : edit.deleteBackward(editor);
    case "delete":
      return byWord ? edit.killWordForward(editor) : edit.deleteForward(editor);
    case "char":
      return (ctrl ? CTRL : ALT)[char]?.(editor);
    default:
      return undefined;
  }
}
