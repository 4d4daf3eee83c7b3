import { nextBoundary } from "@quoll/terminal-text/graphemes";
import type { Editor } from "../editor-state.ts";
import type { VimCommand } from "./parse-vim-keys.ts";
import { lineEnd, lineStart } from "./vim-lines.ts";

export type VimMode = "insert" | "normal" | "visual" | "visualLine";

/** Text that was deleted or yanked. The text of whole lines has no final line break. */
export type Register = { readonly text: string; readonly isLines: boolean };

type Draft = { readonly text: string; readonly cursor: number };

/** An insertion that is in progress. */
export type Inserting = {
  readonly command: VimCommand;
  readonly selected: Extent | undefined;
  /** The text and the cursor before the command, for undo. */
  readonly before: Draft;
  readonly undo: Editor["undo"];
  /** The text and the cursor at which typing begins. */
  readonly from: Draft;
};

/** The last change, for `.`: its command, the typed text, and the size of the selection. */
export type Change = {
  readonly command: VimCommand;
  readonly typed: string | undefined;
  readonly selected: Extent | undefined;
};

/** The size of a selection: lines after the first line, and graphemes in the last line. */
export type Extent = { readonly isLines: boolean; readonly lines: number; readonly graphemes: number };

/** The state of the vim keys, in addition to the text and its cursor. */
export type VimState = {
  readonly mode: VimMode;
  /** The keys of an incomplete command. */
  readonly keys: string;
  /** The other end of the selection in the visual modes. */
  readonly anchor: number;
  readonly register: Register;
  readonly find: { readonly name: string; readonly char: string } | undefined;
  readonly last: Change | undefined;
  /** The texts that undo reverted, newest last. */
  readonly redo: readonly Draft[];
  /** The column, in cells, that `j` and `k` keep. */
  readonly column: number | undefined;
  readonly inserting: Inserting | undefined;
};

export const initialVim: VimState = {
  mode: "insert",
  keys: "",
  anchor: 0,
  register: { text: "", isLines: false },
  find: undefined,
  last: undefined,
  redo: [],
  column: undefined,
  inserting: undefined,
};

/** The state for an empty prompt: the yanked text and the last search are kept. */
export function nextPrompt({ register, find, last }: VimState): VimState {
  return { ...initialVim, register, find, last };
}

export type Range = { readonly from: number; readonly to: number };

/** The selected part of the text in a visual mode; in V-line, whole lines with their last line break. */
export function visualRange({ mode, anchor, column }: VimState, { text, cursor }: Draft): Range | undefined {
  if (mode !== "visual" && mode !== "visualLine") return undefined;
  const first = Math.min(anchor, cursor, text.length);
  const last = Math.min(Math.max(anchor, cursor), text.length);
  // `$` includes the line break.
  const isToEnd = column === Number.POSITIVE_INFINITY && cursor >= anchor;
  if (mode === "visual")
    return { from: first, to: isToEnd ? Math.min(text.length, lineEnd(text, last) + 1) : nextBoundary(text, last) };
  return { from: lineStart(text, first), to: Math.min(text.length, lineEnd(text, last) + 1) };
}

/** The name of the mode under the prompt. */
export const MODE_NAMES: Readonly<Record<VimMode, string>> = {
  insert: "INSERT",
  normal: "NORMAL",
  visual: "VISUAL",
  visualLine: "V-LINE",
};
