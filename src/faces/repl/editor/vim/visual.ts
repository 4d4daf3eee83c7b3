import { graphemes, nextBoundary, previousBoundary } from "@quoll/terminal-text/graphemes";
import { joinLines, putOver } from "./changes.ts";
import { beginInsert } from "./insertion.ts";
import { operate, rewritten, type Span, type Vim } from "./operators.ts";
import type { VimCommand } from "./parse-vim-keys.ts";
import { textObject } from "./text-objects.ts";
import { forwardInLine, lineOf, lineStart, onCharacter, startOfLine } from "./vim-lines.ts";
import { type Extent, visualRange } from "./vim-state.ts";

/** The operator of a key in visual mode. */
const OPERATORS: Readonly<Record<string, string>> = {
  d: "d",
  x: "d",
  X: "d",
  D: "d",
  c: "c",
  s: "c",
  C: "c",
  S: "c",
  R: "c",
  y: "y",
  Y: "y",
  ">": ">",
  "<": "<",
  "~": "g~",
  "g~": "g~",
  u: "gu",
  gu: "gu",
  U: "gU",
  gU: "gU",
};
/** The keys that operate on whole lines in any visual mode. */
const WITH_LINES = new Set(["X", "D", "C", "S", "R", "Y", ">", "<"]);

/** Carries out a command of visual mode. @returns undefined for a motion. */
export function runVisual(vim: Vim, command: VimCommand): Vim | undefined {
  const { state, editor } = vim;
  const { name, count = 1 } = command;
  if (name === "v" || name === "V") return switched(vim, name);
  if (name === "o")
    return {
      state: { ...state, anchor: editor.cursor, column: undefined },
      editor: { ...editor, cursor: state.anchor },
    };
  if (/^[ia]./.test(name)) return withObject(vim, name, count);
  const span = selectedSpan(vim);
  const isKnown = OPERATORS[name] !== undefined || "JpPrgJ".includes(name);
  return isKnown ? onSelection(vim, command, span, extentOf(editor.text, span)) : undefined;
}

/** Repeats a command of visual mode on text of the same size at the cursor. */
export function repeatVisual(vim: Vim, command: VimCommand, selected: Extent): Vim {
  const { text, cursor } = vim.editor;
  const line = startOfLine(text, lineOf(text, cursor) + selected.lines);
  const to = forwardInLine(text, selected.lines === 0 ? cursor : line, selected.graphemes);
  const span = { from: cursor, to: selected.isLines ? line : to, isLines: selected.isLines };
  return onSelection(vim, command, span, selected);
}

/** The size of the selection. */
export function selectedExtent(vim: Vim): Extent {
  return extentOf(vim.editor.text, selectedSpan(vim));
}

function selectedSpan({ state, editor }: Vim): Span {
  const { from, to } = visualRange(state, editor) ?? { from: editor.cursor, to: editor.cursor };
  if (state.mode === "visual") return { from, to, isLines: false };
  return { from: Math.min(state.anchor, editor.cursor), to: Math.max(state.anchor, editor.cursor), isLines: true };
}

function extentOf(text: string, { from, to, isLines }: Span): Extent {
  const last = isLines ? to : lastSelected(text, from, to);
  const lines = lineOf(text, last) - lineOf(text, from);
  const count = graphemes(text.slice(lines === 0 ? from : lineStart(text, last), last)).length;
  return { isLines, lines, graphemes: count + 1 };
}

function lastSelected(text: string, from: number, to: number): number {
  return Math.max(from, previousBoundary(text, to));
}

function onSelection(vim: Vim, command: VimCommand, selected: Span, extent: Extent): Vim {
  const { name, count = 1, char = "" } = command;
  const { text } = vim.editor;
  const state = { ...vim.state, mode: "normal" as const, column: undefined };
  const unselected: Vim = { state, editor: vim.editor };
  const operator = OPERATORS[name];
  const last = selected.isLines ? selected.to : lastSelected(text, selected.from, selected.to);
  const isLines = selected.isLines || WITH_LINES.has(name);
  const from = isLines && operator !== "y" ? lineStart(text, selected.from) : selected.from;
  const span = isLines ? { from, to: last, isLines } : selected;
  if (operator === "c") return beginInsert(unselected, operate(unselected, "c", span), command, extent);
  if (operator !== undefined) return operate(unselected, operator, span, count);
  if (name === "J" || name === "gJ") {
    const lines = lineOf(text, last) - lineOf(text, span.from) + 1;
    return { state, editor: joinLines({ ...vim.editor, cursor: span.from }, lines, name === "J") };
  }
  if (name === "r")
    return rewritten(unselected, span, (part) =>
      graphemes(part)
        .map((one) => (one === "\n" ? one : char))
        .join(""),
    );
  const isKept = name === "P";
  const cutOut = operate(unselected, "y", span).state.register;
  return {
    state: { ...state, register: isKept ? state.register : cutOut },
    editor: putOver(unselected.editor, span, state.register),
  };
}

/** `v` and `V` change the kind of selection; the key of the current kind ends the selection. */
function switched({ state, editor }: Vim, name: "v" | "V"): Vim {
  const wanted = name === "v" ? "visual" : "visualLine";
  if (state.mode !== wanted) return { state: { ...state, mode: wanted }, editor };
  return {
    state: { ...state, mode: "normal", column: undefined },
    editor: { ...editor, cursor: onCharacter(editor.text, editor.cursor) },
  };
}

/** Selects a text object; an existing selection is extended by the next text object. */
function withObject({ state, editor }: Vim, name: string, count: number): Vim {
  const { text, cursor } = editor;
  const hasBegun = state.anchor < cursor;
  const found = textObject(text, hasBegun ? nextBoundary(text, cursor) : cursor, name, count);
  if (!found || found.to <= found.from) return { state, editor };
  const anchor = hasBegun ? state.anchor : found.from;
  const to = found.isLines ? found.to : previousBoundary(text, found.to);
  return {
    state: { ...state, anchor, column: undefined, ...(found.isLines && { mode: "visualLine" }) },
    editor: { ...editor, cursor: to },
  };
}
