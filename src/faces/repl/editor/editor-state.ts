import { nextBoundary, previousBoundary, snapToBoundary } from "@quoll/terminal-text/graphemes";
import { lineEnd, lineStart } from "./vim/vim-lines.ts";

/** The text being typed. `cursor` is an index in UTF-16 units and always lies on a grapheme boundary. */
export type Editor = {
  readonly text: string;
  readonly cursor: number;
  /** The other end of the selection; absent if nothing is selected. */
  readonly anchor?: number | undefined;
  /** The last cut text, for yank. */
  readonly killed: string;
  readonly undo: readonly { readonly text: string; readonly cursor: number }[];
  /** The kind of the last change: consecutive typing is undone as one step. */
  readonly last: "typing" | "killing" | "other";
};

/** The maximum number of steps that can be undone. */
const MAX_UNDO = 200;

export const emptyEditor: Editor = { text: "", cursor: 0, killed: "", undo: [], last: "other" };

export function editorWith(text: string): Editor {
  return { ...emptyEditor, text, cursor: text.length };
}

export function insertText(editor: Editor, text: string): Editor {
  if (text === "") return editor;
  const { from, to } = selectionOf(editor) ?? { from: editor.cursor, to: editor.cursor };
  return replace(editor, from, to, text, from === to && /^\S+$/.test(text) ? "typing" : "other");
}

/** The selected part of the text, its ends in order. */
export function selectionOf({ cursor, anchor }: Editor): { readonly from: number; readonly to: number } | undefined {
  if (anchor === undefined || anchor === cursor) return undefined;
  return { from: Math.min(anchor, cursor), to: Math.max(anchor, cursor) };
}

/** Moves the cursor and thereby one end of the selection; begins a selection if there is none. */
export function extendSelection(editor: Editor, move: (editor: Editor) => Editor): Editor {
  const { anchor = editor.cursor } = editor;
  return { ...move({ ...editor, anchor: undefined }), anchor };
}

export function deleteBackward(editor: Editor): Editor {
  const selected = selectionOf(editor);
  if (selected) return erase(editor, selected.from, selected.to);
  return erase(editor, previousBoundary(editor.text, editor.cursor), editor.cursor);
}

export function deleteForward(editor: Editor): Editor {
  const selected = selectionOf(editor);
  if (selected) return erase(editor, selected.from, selected.to);
  return editor.cursor === editor.text.length
    ? editor
    : erase(editor, editor.cursor, nextBoundary(editor.text, editor.cursor));
}

export function moveLeft(editor: Editor): Editor {
  return moveTo(editor, selectionOf(editor)?.from ?? previousBoundary(editor.text, editor.cursor));
}

export function moveRight(editor: Editor): Editor {
  return moveTo(editor, selectionOf(editor)?.to ?? nextBoundary(editor.text, editor.cursor));
}

export function moveTo(editor: Editor, index: number): Editor {
  return { ...editor, cursor: snapToBoundary(editor.text, index), anchor: undefined, last: "other" };
}

export function moveWordLeft(editor: Editor): Editor {
  return moveTo(editor, wordStart(editor.text, editor.cursor));
}

export function moveWordRight(editor: Editor): Editor {
  return moveTo(editor, wordEnd(editor.text, editor.cursor));
}

export function moveLineStart(editor: Editor): Editor {
  return moveTo(editor, lineStart(editor.text, editor.cursor));
}

export function moveLineEnd(editor: Editor): Editor {
  return moveTo(editor, lineEnd(editor.text, editor.cursor));
}

/** Cuts to the end of the line; at the end of the line, cuts the line break. */
export function killLineEnd(editor: Editor): Editor {
  const end = lineEnd(editor.text, editor.cursor);
  return kill(editor, editor.cursor, end === editor.cursor ? Math.min(end + 1, editor.text.length) : end);
}

/** Cuts to the start of the line; at the start of the line, cuts the preceding line break. */
export function killLineStart(editor: Editor): Editor {
  const start = lineStart(editor.text, editor.cursor);
  return kill(editor, start === editor.cursor ? Math.max(0, start - 1) : start, editor.cursor);
}

/** Cuts the selection, or the text back to the white space before the word (Ctrl+W). */
export function killWordBackward(editor: Editor): Editor {
  const selected = selectionOf(editor);
  if (selected) return kill({ ...editor, cursor: selected.to, last: "other" }, selected.from, selected.to);
  const before = editor.text.slice(0, editor.cursor);
  const start = before.search(/\S*\s*$/);
  return kill(editor, snapToBoundary(editor.text, start), editor.cursor);
}

/** Cuts the word back to its first letter (Alt+Backspace). */
export function killPartBackward(editor: Editor): Editor {
  return kill(editor, wordStart(editor.text, editor.cursor), editor.cursor);
}

export function killWordForward(editor: Editor): Editor {
  return kill(editor, editor.cursor, wordEnd(editor.text, editor.cursor));
}

export function yank(editor: Editor): Editor {
  if (editor.killed === "") return editor;
  const { from, to } = selectionOf(editor) ?? { from: editor.cursor, to: editor.cursor };
  return replace(editor, from, to, editor.killed, "other");
}

export function undoEdit(editor: Editor): Editor {
  const before = editor.undo.at(-1);
  if (!before) return editor;
  return { ...editor, ...before, anchor: undefined, undo: editor.undo.slice(0, -1), last: "other" };
}

/** Replaces the whole text as one step that can be undone. */
export function setText(editor: Editor, text: string, cursor = text.length): Editor {
  return moveTo(replace(editor, 0, editor.text.length, text, "other"), cursor);
}

/** Replaces the text between two boundaries, and puts the cursor after the new text. */
export function replaceRange(editor: Editor, from: number, to: number, text: string): Editor {
  return replace(editor, from, to, text, "other");
}

function erase(editor: Editor, from: number, to: number): Editor {
  return from === to ? editor : replace(editor, from, to, "", "other");
}

function kill(editor: Editor, from: number, to: number): Editor {
  if (from === to) return editor;
  const cut = editor.text.slice(from, to);
  const joined = editor.last !== "killing" ? cut : to === editor.cursor ? cut + editor.killed : editor.killed + cut;
  return { ...replace(editor, from, to, "", "killing"), killed: joined };
}

function replace(editor: Editor, from: number, to: number, text: string, last: Editor["last"]): Editor {
  const next = editor.text.slice(0, from) + text + editor.text.slice(to);
  const isRun = last === "typing" && editor.last === "typing";
  const undo = isRun ? editor.undo : [...editor.undo, { text: editor.text, cursor: editor.cursor }].slice(-MAX_UNDO);
  // An inserted mark or joiner may merge with the next character: the cursor goes after the whole grapheme.
  const behind = from + text.length;
  const snapped = snapToBoundary(next, behind);
  const cursor = snapped === behind ? behind : text === "" ? snapped : nextBoundary(next, snapped);
  return { ...editor, text: next, cursor, anchor: undefined, undo, last };
}

const WORD = /[\p{L}\p{N}\p{M}_]/u;

function wordStart(text: string, from: number): number {
  let at = from;
  while (at > 0 && !WORD.test(text.slice(previousBoundary(text, at), at))) at = previousBoundary(text, at);
  while (at > 0 && WORD.test(text.slice(previousBoundary(text, at), at))) at = previousBoundary(text, at);
  return at;
}

function wordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !WORD.test(text.slice(at, nextBoundary(text, at)))) at = nextBoundary(text, at);
  while (at < text.length && WORD.test(text.slice(at, nextBoundary(text, at)))) at = nextBoundary(text, at);
  return at;
}
