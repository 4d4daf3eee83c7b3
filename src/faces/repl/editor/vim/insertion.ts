import { previousBoundary } from "@quoll/terminal-text/graphemes";
import { type Editor, insertText } from "../editor-state.ts";
import { changed, type Vim } from "./operators.ts";
import type { VimCommand } from "./parse-vim-keys.ts";
import { firstNonBlank, forwardInLine, lineEnd, lineStart } from "./vim-lines.ts";
import type { Extent } from "./vim-state.ts";

/** The commands that begin to insert, and the text and cursor where typing begins. */
export const OPENINGS: Readonly<Record<string, (editor: Editor) => Editor>> = {
  i: (editor) => editor,
  a: (editor) => ({ ...editor, cursor: forwardInLine(editor.text, editor.cursor, 1) }),
  I: (editor) => ({ ...editor, cursor: indentEnd(editor) }),
  A: (editor) => ({ ...editor, cursor: lineEnd(editor.text, editor.cursor) }),
  o: (editor) => openedLine(editor, lineEnd(editor.text, editor.cursor), 1),
  O: (editor) => openedLine(editor, lineStart(editor.text, editor.cursor), 0),
};

/** A blank line has only indent. */
function indentEnd({ text, cursor }: Editor): number {
  const isBlank = text.slice(lineStart(text, cursor), lineEnd(text, cursor)).trim() === "";
  return isBlank ? lineEnd(text, cursor) : firstNonBlank(text, cursor);
}

function openedLine(editor: Editor, at: number, shift: number): Editor {
  const { text, cursor } = editor;
  return changed(editor, `${text.slice(0, at)}\n${text.slice(at)}`, at + shift, cursor);
}

/**
 * Begins to insert.
 * @param before The text and the cursor before the command.
 * @param after The text and the cursor after the command's change.
 */
export function beginInsert(before: Vim, after: Vim, command: VimCommand, selected?: Extent): Vim {
  const { editor, state } = after;
  // Undo returns to where typing began, or to where the command's own change began.
  const isMove = editor.text === before.editor.text;
  const undoAt = isMove ? editor.cursor : (editor.undo.at(-1)?.cursor ?? editor.cursor);
  const inserting = {
    command,
    selected,
    before: { text: before.editor.text, cursor: undoAt },
    undo: before.editor.undo,
    from: { text: editor.text, cursor: editor.cursor },
  };
  return { state: { ...state, mode: "insert", keys: "", column: undefined, inserting }, editor };
}

/** Ends inserting: the typed text is one step of undo, and `.` repeats it. */
export function endInsert({ state, editor }: Vim): Vim {
  const { inserting } = state;
  const normal = { ...state, mode: "normal" as const, keys: "", column: undefined, inserting: undefined };
  if (!inserting) return { state: normal, editor: oneBack(editor) };
  const typed = typedText(inserting.from, editor.text);
  const { command, selected, before } = inserting;
  const done = repeated(editor, typed ?? "", command);
  const hasChanged = done.text !== before.text;
  const undo = hasChanged ? [...inserting.undo, before] : inserting.undo;
  return {
    state: { ...normal, ...(hasChanged && { redo: [] }), last: { command, typed: typed ?? "", selected } },
    editor: { ...oneBack(done), undo },
  };
}

/** The inserted text; undefined if the text around it changed too. */
function typedText(from: { readonly text: string; readonly cursor: number }, text: string): string | undefined {
  const head = from.text.slice(0, from.cursor);
  const tail = from.text.slice(from.cursor);
  const isAround = text.startsWith(head) && text.endsWith(tail) && text.length >= from.text.length;
  return isAround ? text.slice(head.length, text.length - tail.length) : undefined;
}

/** A count before `i` repeats the typed text, before `o` the whole line. */
function repeated(editor: Editor, typed: string, { name, count = 1, operator }: VimCommand): Editor {
  if (count === 1 || operator !== undefined || !OPENINGS[name] || typed === "") return editor;
  const one = name === "o" || name === "O" ? `\n${typed}` : typed;
  return insertText(editor, one.repeat(count - 1));
}

function oneBack(editor: Editor): Editor {
  const { text, cursor } = editor;
  return {
    ...editor,
    cursor: cursor > lineStart(text, cursor) ? previousBoundary(text, cursor) : cursor,
    last: "other",
  };
}
