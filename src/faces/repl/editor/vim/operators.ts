import { nextBoundary } from "@quoll/terminal-text/graphemes";
import { type Editor, setText } from "../editor-state.ts";
import type { Reach } from "./motions.ts";
import { firstNonBlank, isInIndent, lineEnd, lineStart, onCharacter } from "./vim-lines.ts";
import type { VimState } from "./vim-state.ts";

/** The text and the state of its keys. */
export type Vim = { readonly state: VimState; readonly editor: Editor };

/** The range of an operator: whole lines from the line of `from` to the line of `to`, or the characters before `to`. */
export type Span = { readonly from: number; readonly to: number; readonly isLines: boolean };

const SHIFT = "  ";

/**
 * The text between the cursor and the end of a motion. A motion that ends at the start of a line is shortened to the
 * previous line, and takes whole lines if it began in an indent.
 */
export function spanOf(text: string, at: number, { to: end, takes }: Reach, operator: string): Span {
  const from = Math.min(at, end);
  const to = Math.max(at, end);
  if (takes === "lines") return { from, to, isLines: true };
  const isOnCharacter = to < text.length && text[to] !== "\n";
  if (takes === "with")
    return asLines(text, { from, to: isOnCharacter ? nextBoundary(text, to) : to, isLines: false }, operator);
  const isAtLineStart = to > from && text[to - 1] === "\n";
  if (!isAtLineStart) return asLines(text, { from, to, isLines: false }, operator);
  return asLines(text, { from, to: to - 1, isLines: isInIndent(text, from) }, operator);
}

/** A deletion over several lines that leaves only blanks takes whole lines. */
function asLines(text: string, span: Span, operator: string): Span {
  const isOverLines = operator === "d" && text.slice(span.from, span.to).includes("\n");
  const isAll = isOverLines && isInIndent(text, span.from) && isBlankBehind(text, span.to);
  return isAll ? { ...span, isLines: true } : span;
}

function isBlankBehind(text: string, at: number): boolean {
  return text.slice(at, lineEnd(text, at)).trim() === "";
}

/** Replaces a part of the text; `undoAt` is the position of the cursor after undo. */
export function changed(editor: Editor, text: string, cursor: number, undoAt: number): Editor {
  if (text === editor.text) return { ...editor, cursor, last: "other" };
  return setText({ ...editor, cursor: undoAt }, text, cursor);
}

/**
 * Carries out an operator. For `c`, the caller starts inserting.
 * @param steps The number of steps that `>` and `<` shift.
 */
export function operate(vim: Vim, operator: string, span: Span, steps = 1): Vim {
  switch (operator) {
    case "d":
      return removed(vim, span);
    case "c":
      return cut(vim, span);
    case "y":
      return { ...yanked(vim, span), editor: { ...vim.editor, cursor: span.from } };
    case ">":
    case "<":
      return shifted(vim, span, operator === ">" ? steps : -steps);
    default:
      return rewritten(vim, span, (part) => inCase(part, operator));
  }
}

/** Where the text of a span begins and ends. */
export function boundsOf(text: string, { from, to, isLines }: Span): { readonly start: number; readonly end: number } {
  return isLines ? { start: lineStart(text, from), end: lineEnd(text, to) } : { start: from, end: to };
}

function yanked({ state, editor: { text } }: Vim, span: Span): { readonly state: VimState } {
  const { start, end } = boundsOf(text, span);
  return { state: { ...state, register: { text: text.slice(start, end), isLines: span.isLines } } };
}

/** Takes the text of a span out; of whole lines, an empty line stays. */
function cut(vim: Vim, span: Span): Vim {
  const { editor } = vim;
  const { start, end } = boundsOf(editor.text, span);
  if (start === end && !span.isLines) return vim;
  const text = editor.text.slice(0, start) + editor.text.slice(end);
  return { ...yanked(vim, span), editor: changed(editor, text, start, span.from) };
}

function removed(vim: Vim, span: Span): Vim {
  if (!span.isLines) {
    const { state, editor } = cut(vim, span);
    return { state, editor: { ...editor, cursor: onCharacter(editor.text, editor.cursor) } };
  }
  const { text } = vim.editor;
  const { start, end } = boundsOf(text, span);
  const rest = end < text.length ? text.slice(0, start) + text.slice(end + 1) : text.slice(0, Math.max(0, start - 1));
  const cursor = firstNonBlank(rest, Math.min(start, rest.length));
  return { ...yanked(vim, span), editor: changed(vim.editor, rest, cursor, span.from) };
}

/** Each step is two blanks; empty lines are not shifted. */
function shifted({ state, editor }: Vim, span: Span, steps: number): Vim {
  const { start, end } = boundsOf(editor.text, { ...span, isLines: true });
  const lines = editor.text.slice(start, end).split("\n");
  const moved = lines.map((line) => {
    if (line === "") return line;
    const body = line.trimStart();
    const indent = line.slice(0, line.length - body.length).replaceAll("\t", SHIFT.repeat(4)).length;
    return " ".repeat(Math.max(0, (Math.floor(indent / 2) + steps) * 2 + (steps > 0 ? indent % 2 : 0))) + body;
  });
  const text = editor.text.slice(0, start) + moved.join("\n") + editor.text.slice(end);
  return { state, editor: changed(editor, text, firstNonBlank(text, start), span.from) };
}

/** Puts another text in place of the text of a span. */
export function rewritten({ state, editor }: Vim, span: Span, write: (part: string) => string): Vim {
  const { text } = editor;
  const { start, end } = boundsOf(text, span);
  const next = text.slice(0, start) + write(text.slice(start, end)) + text.slice(end);
  return { state, editor: changed(editor, next, Math.min(span.from, next.length), span.from) };
}

/** A text in lower case (`gu`), in upper case (`gU`), or with each letter in the other case (`g~`). */
export function inCase(text: string, operator: string): string {
  if (operator === "gu") return text.toLowerCase();
  if (operator === "gU") return text.toUpperCase();
  return Array.from(text, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join("");
}
