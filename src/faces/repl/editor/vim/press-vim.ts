import { graphemes } from "@quoll/terminal-text/graphemes";
import { type Editor, insertText, moveTo } from "../editor-state.ts";
import { CHANGES } from "./changes.ts";
import { beginInsert, endInsert, OPENINGS } from "./insertion.ts";
import { followMotion, type Reach } from "./motions.ts";
import { operate, spanOf, type Vim } from "./operators.ts";
import { parseKeys, type VimCommand } from "./parse-vim-keys.ts";
import { textObject } from "./text-objects.ts";
import { lineEnd, lineOf, lineStart, onCharacter, startOfLine } from "./vim-lines.ts";
import type { Extent, VimState } from "./vim-state.ts";
import { repeatVisual, runVisual, selectedExtent } from "./visual.ts";

/**
 * The text and the state after a key. `wants`: `k` in the first line and `j` in the last line move through the history.
 */
export type Pressed = Vim & { readonly wants?: "older" | "newer" };

/** Commands that abbreviate an operator with a motion. */
const SHORT: Readonly<Record<string, Pick<VimCommand, "operator" | "name">>> = {
  x: { operator: "d", name: "l" },
  X: { operator: "d", name: "h" },
  D: { operator: "d", name: "$" },
  C: { operator: "c", name: "$" },
  s: { operator: "c", name: "l" },
  S: { operator: "c", name: "line" },
  Y: { operator: "y", name: "line" },
};

/**
 * Handles a key of normal or visual mode, and `esc` of insert mode.
 * @param key A typed character, `esc` or `ctrl+r`.
 */
export function pressVim(vim: Vim, key: string): Pressed {
  const { state, editor } = vim;
  if (key === "esc") return state.mode === "insert" ? endInsert(vim) : disarmed(vim);
  if (key === "ctrl+r") return redone({ state: { ...state, keys: "" }, editor }, Number.parseInt(state.keys, 10) || 1);
  const keys = state.keys + key;
  const isVisual = state.mode !== "normal";
  const command = parseKeys(graphemes(keys), isVisual);
  if (command === "more") return { state: { ...state, keys }, editor };
  const now: Vim = { state: { ...state, keys: "" }, editor };
  if (command === "none") return now;
  const done = isVisual ? pressedVisual(now, command) : pressedNormal(now, command);
  return done.state.mode === "normal" ? { ...done, editor: settled(done.editor) } : done;
}

/** Yanked text may begin or end with a line break, where the cursor can't be. */
function settled(editor: Editor): Editor {
  const cursor = onCharacter(editor.text, editor.cursor);
  return cursor === editor.cursor ? editor : moveTo(editor, cursor);
}

/** Ends an incomplete command and a selection. */
function disarmed({ state, editor }: Vim): Vim {
  const cursor = onCharacter(editor.text, editor.cursor);
  return { state: { ...state, mode: "normal", keys: "", column: undefined }, editor: moveTo(editor, cursor) };
}

function pressedNormal(vim: Vim, command: VimCommand): Pressed {
  const { text, cursor } = vim.editor;
  const { name, operator, count } = command;
  if (operator === undefined && (name === "j" || name === "k")) {
    const isAtEdge = name === "k" ? !text.slice(0, cursor).includes("\n") : !text.slice(cursor).includes("\n");
    if (isAtEdge) return { ...vim, wants: name === "k" ? "older" : "newer" };
  }
  if (name === "u") return undone(vim, count ?? 1);
  if (name === ".") return repeatLast(vim, count);
  const isVisual = name === "v" || name === "V";
  if (isVisual)
    return {
      state: { ...vim.state, mode: name === "v" ? "visual" : "visualLine", anchor: cursor },
      editor: vim.editor,
    };
  return remembered(vim, runNormal(vim, command), command);
}

function pressedVisual(vim: Vim, command: VimCommand): Pressed {
  const done = runVisual(vim, command);
  return done ? remembered(vim, done, command, selectedExtent(vim)) : moved(vim, command);
}

/** A change can be repeated with `.`, and clears the redo history. */
function remembered(before: Vim, after: Vim, command: VimCommand, selected?: Extent): Vim {
  const isDone = after.editor.text !== before.editor.text && after.state.mode !== "insert";
  if (!isDone) return after;
  return { ...after, state: { ...after.state, last: { command, typed: undefined, selected }, redo: [] } };
}

/** Carries out a command of normal mode. */
function runNormal(vim: Vim, command: VimCommand): Vim {
  const { name, count, char = "" } = command;
  const short = SHORT[name];
  if (short && command.operator === undefined) return runOperator(vim, { ...command, ...short }, command);
  if (command.operator !== undefined) return runOperator(vim, command, command);
  const opened = OPENINGS[name];
  if (opened) return beginInsert(vim, { ...vim, editor: opened(vim.editor) }, command);
  const change = CHANGES[name];
  const withoutColumn: Vim = { ...vim, state: { ...vim.state, column: undefined } };
  return change ? change(withoutColumn, count, char) : moved(vim, command);
}

function runOperator(vim: Vim, command: VimCommand, typed: VimCommand): Vim {
  const { operator = "", name, count = 1 } = command;
  const { text, cursor } = vim.editor;
  const state = withFind(vim.state, command);
  const span = /^[ia]./.test(name) ? textObject(text, cursor, name, count) : motionSpan(vim, command, operator);
  if (!span) return { ...vim, state };
  const done = operate({ editor: vim.editor, state: { ...state, column: undefined } }, operator, span);
  return operator === "c" ? beginInsert(vim, done, typed) : done;
}

function motionSpan({ state, editor: { text, cursor: at } }: Vim, command: VimCommand, operator: string) {
  const isLine = command.name === "line";
  const name = isLine ? "_" : command.name;
  const reach = followMotion({ text, at, command: { ...command, name }, state });
  if (!reach) return undefined;
  if (!isLine) return spanOf(text, at, reach, operator);
  // A yank does not move the cursor; a change of one line begins at its text.
  const isOne = operator !== "y" && (command.count ?? 1) === 1;
  return { from: isOne ? Math.min(at, reach.to) : at, to: Math.max(at, reach.to), isLines: true };
}

function moved(vim: Vim, command: VimCommand): Vim {
  const { editor } = vim;
  const { text, cursor: at } = editor;
  const state = withFind(vim.state, command);
  const reach: Reach | undefined = followMotion({ text, at, command, state: vim.state });
  if (!reach) return { state, editor };
  return { state: { ...state, column: reach.column }, editor: moveTo(editor, onCharacter(text, reach.to)) };
}

function withFind(state: VimState, { name, char }: VimCommand): VimState {
  return char !== undefined && /^[fFtT]$/.test(name) ? { ...state, find: { name, char } } : state;
}

function repeatLast(vim: Vim, count: number | undefined): Vim {
  const { last } = vim.state;
  if (!last) return vim;
  const command = count === undefined ? last.command : { ...last.command, count };
  const done = last.selected ? repeatVisual(vim, command, last.selected) : runNormal(vim, command);
  const isTyped = done.state.mode === "insert";
  const typed = isTyped ? endInsert({ ...done, editor: insertText(done.editor, last.typed ?? "") }) : done;
  return {
    ...typed,
    state: { ...typed.state, last: { ...last, command }, ...(typed.editor.text !== vim.editor.text && { redo: [] }) },
  };
}

function undone(vim: Vim, count: number): Vim {
  const { state, editor } = vim;
  const before = editor.undo.at(-1);
  if (!before || count === 0) return vim;
  const redo = [...state.redo, { text: editor.text, cursor: before.cursor }];
  const cursor = onCharacter(before.text, before.cursor);
  const undo = editor.undo.slice(0, -1);
  return undone(
    {
      state: { ...state, redo, column: undefined },
      editor: { ...editor, text: before.text, cursor, undo, anchor: undefined, last: "other" },
    },
    count - 1,
  );
}

function redone(vim: Vim, count: number): Vim {
  const { state, editor } = vim;
  const next = state.redo.at(-1);
  if (!next || count === 0) return vim;
  const undo = [...editor.undo, { text: editor.text, cursor: next.cursor }];
  // The change may have removed lines: the cursor keeps its line and column if possible.
  const column = next.cursor - lineStart(editor.text, next.cursor);
  const start = startOfLine(next.text, lineOf(editor.text, next.cursor));
  const cursor = onCharacter(next.text, Math.min(start + column, lineEnd(next.text, start)));
  return redone(
    {
      state: { ...state, redo: state.redo.slice(0, -1), column: undefined },
      editor: { ...editor, text: next.text, cursor, undo, anchor: undefined, last: "other" },
    },
    count - 1,
  );
}

export type PressVim = typeof pressVim;
