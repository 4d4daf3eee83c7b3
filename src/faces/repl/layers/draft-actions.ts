import {
  type Editor,
  emptyEditor,
  extendSelection,
  insertText,
  moveLeft,
  moveLineEnd,
  moveLineStart,
  moveRight,
  moveTo,
  moveWordLeft,
  moveWordRight,
  setText,
} from "../editor/editor-state.ts";
import { ghostOf } from "../editor/history.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import type { Armed, Ui, UiContext } from "./ui-state.ts";

/**
 * Stashes the draft, or restores the stashed draft. If both exist, they are swapped, so that neither is lost.
 */
export function stashDraft({ editor, stash }: Ui): Pick<Ui, "editor" | "stash"> {
  const next = editor.text.trim() === "" ? undefined : editor.text;
  return { stash: next, editor: next === undefined && stash === undefined ? editor : setText(editor, stash ?? "") };
}

/** Blanks and punctuation go on with the row. */
const BEGINS_WORD = /^[\p{L}\p{N}]/u;

/**
 * Prepares a prompt that came back for text that is typed or pasted behind it: for a command, the prompt is put aside, and
 * sending the command restores it. Other words begin in a new row, so that they are not glued to the prompt.
 */
export function besideReturned(ui: Ui, typed: string): Ui {
  const { editor, returned, stash } = ui;
  const isUntouched = returned !== undefined && editor.text === returned && editor.cursor === returned.length;
  if (!isUntouched) return ui;
  if (BEGINS_WORD.test(typed)) return { ...ui, editor: insertText(editor, "\n"), returned: undefined };
  if (!typed.startsWith("/")) return ui;
  const aside = stash === undefined ? returned : `${returned}\n${stash}`;
  return { ...ui, editor: setText(editor, ""), stash: aside, returned: aside };
}

/** Backspace as the next key removes the input that was just withdrawn: the first `chars` characters of the draft. */
export function armedToDrop(chars: number): Armed {
  return { by: "backspace", does: "drop", says: "backspace drops it", chars, until: Number.POSITIVE_INFINITY };
}

/** Removes the input that was just withdrawn from the draft; undo restores it. @returns undefined for any other key. */
export function dropTaken(ui: Ui, name: KeyAction): Ui | undefined {
  if (name !== "text.deleteBackward" || ui.armed?.does !== "drop") return undefined;
  const rest = ui.editor.text.slice(ui.armed.chars).replace(/^\n/, "");
  return { ...ui, editor: setText(ui.editor, rest), armed: undefined };
}

/** The empty prompt after a message was sent, with the stashed draft. */
export function nextDraft({ editor, stash }: Ui): Pick<Ui, "editor" | "stash"> {
  const empty = { ...emptyEditor, killed: editor.killed };
  return { editor: stash === undefined ? empty : { ...setText(empty, stash), undo: [] }, stash: undefined };
}

/** The rest of an earlier input that begins with the draft; undefined if it is not shown. */
export function shownGhost(ui: Ui, { hasGhost }: UiContext): string | undefined {
  const isTyping = ui.vim === undefined || ui.vim.mode === "insert";
  return hasGhost !== false && isTyping ? ghostOf(ui.editor, ui.history) : undefined;
}

const SELECTING: { readonly [Action in KeyAction]?: (editor: Editor) => Editor } = {
  "select.left": moveLeft,
  "select.right": moveRight,
  "select.wordLeft": moveWordLeft,
  "select.wordRight": moveWordRight,
  "select.lineStart": moveLineStart,
  "select.lineEnd": moveLineEnd,
};

/**
 * The editor after a key that selects.
 * @param rowFrom Moves the cursor one row up or down; undefined beyond the first and the last row.
 * @returns undefined for any other key.
 */
export function selectText(
  editor: Editor,
  name: KeyAction,
  rowFrom: (editor: Editor, step: 1 | -1) => Editor | undefined,
): Editor | undefined {
  if (name === "select.up") return extendSelection(editor, (one) => rowFrom(one, -1) ?? moveTo(one, 0));
  if (name === "select.down") return extendSelection(editor, (one) => rowFrom(one, 1) ?? moveTo(one, one.text.length));
  const move = SELECTING[name];
  return move && extendSelection(editor, move);
}
