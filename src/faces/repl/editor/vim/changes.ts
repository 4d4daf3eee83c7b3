import { nextBoundary, previousBoundary } from "@quoll/terminal-text/graphemes";
import type { Editor } from "../editor-state.ts";
import { boundsOf, changed, inCase, type Span, type Vim } from "./operators.ts";
import { firstNonBlank, forwardInLine, lineCount, lineEnd, lineOf, lineStart, onCharacter } from "./vim-lines.ts";
import type { Register } from "./vim-state.ts";

/** Commands that change the text at the cursor and stay in normal mode. */
export const CHANGES: Readonly<Record<string, (vim: Vim, count: number | undefined, char: string) => Vim>> = {
  r: (vim, count = 1, char) => edited(vim, replaceCharacters(vim.editor, count, char)),
  "~": (vim, count = 1) => edited(vim, swapCase(vim.editor, count)),
  J: (vim, count = 2) => edited(vim, joinLines(vim.editor, count, true)),
  gJ: (vim, count = 2) => edited(vim, joinLines(vim.editor, count, false)),
  p: (vim, count = 1) => edited(vim, put(vim, count, true)),
  P: (vim, count = 1) => edited(vim, put(vim, count, false)),
};

function edited({ state }: Vim, editor: Editor): Vim {
  return { state, editor };
}

function replaceCharacters(editor: Editor, count: number, char: string): Editor {
  const { text, cursor } = editor;
  const to = forwardInLine(text, cursor, count);
  if (to === cursor || (count > 1 && forwardInLine(text, cursor, count - 1) === to)) return editor;
  const next = text.slice(0, cursor) + char.repeat(count) + text.slice(to);
  return changed(editor, next, cursor + char.length * (count - 1), cursor);
}

function swapCase(editor: Editor, count: number): Editor {
  const { text, cursor } = editor;
  const to = forwardInLine(text, cursor, count);
  const swapped = inCase(text.slice(cursor, to), "g~");
  const next = text.slice(0, cursor) + swapped + text.slice(to);
  return changed(editor, next, onCharacter(next, cursor + swapped.length), cursor);
}

/** Joins `count` lines; if `hasBlanks`, with one blank between them and without indents. */
export function joinLines(editor: Editor, count: number, hasBlanks: boolean): Editor {
  const { cursor } = editor;
  let { text } = editor;
  const left = lineCount(text) - lineOf(text, cursor) - 1;
  if (left === 0 || (count <= 2 && left < 1)) return editor;
  let at = cursor;
  for (let joins = Math.min(Math.max(2, count) - 1, left); joins > 0; joins -= 1) {
    const end = lineEnd(text, at);
    const rest = text.slice(end + 1);
    const next = hasBlanks ? rest.replace(/^[ \t]+/, "") : rest;
    const isTight = end === lineStart(text, end) || text[end - 1] === " " || /^(?:[)\n]|$)/.test(next);
    text = text.slice(0, end) + (hasBlanks && !isTight ? " " : "") + next;
    at = end;
  }
  return changed(editor, text, onCharacter(text, at), cursor);
}

function put({ state: { register }, editor }: Vim, count: number, isBehind: boolean): Editor {
  const { text, cursor } = editor;
  if (register.text === "" && !register.isLines) return editor;
  if (register.isLines) {
    const lines = Array.from({ length: count }, () => register.text).join("\n");
    const at = isBehind ? lineEnd(text, cursor) : lineStart(text, cursor);
    const added = isBehind ? `\n${lines}` : `${lines}\n`;
    const next = text.slice(0, at) + added + text.slice(at);
    return changed(editor, next, firstNonBlank(next, isBehind ? at + 1 : at), cursor);
  }
  const at = isBehind && cursor < lineEnd(text, cursor) ? nextBoundary(text, cursor) : cursor;
  const added = register.text.repeat(count);
  const next = text.slice(0, at) + added + text.slice(at);
  const end = register.text.includes("\n") ? at : previousBoundary(next, at + added.length);
  return changed(editor, next, end, cursor);
}

/** Replaces a selection with yanked text: characters in place, lines on separate lines. */
export function putOver(editor: Editor, span: Span, register: Register): Editor {
  const { text } = editor;
  const { start: from, end: to } = boundsOf(text, span);
  const isSplit = register.isLines && !span.isLines;
  const added = isSplit ? `\n${register.text}\n` : register.text;
  const next = text.slice(0, from) + added + text.slice(to);
  if (register.isLines || span.isLines)
    return changed(editor, next, firstNonBlank(next, isSplit ? from + 1 : from), span.from);
  const end = register.text.includes("\n") ? from : previousBoundary(next, from + added.length);
  return changed(editor, next, Math.max(from, end), span.from);
}
