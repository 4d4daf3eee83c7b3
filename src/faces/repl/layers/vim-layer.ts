import { graphemes } from "@quoll/terminal-text/graphemes";
import { moveTo } from "../editor/editor-state.ts";
import type { Vim } from "../editor/vim/operators.ts";
import type { Pressed } from "../editor/vim/press-vim.ts";
import { onCharacter } from "../editor/vim/vim-lines.ts";
import type { VimState } from "../editor/vim/vim-state.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import type { KeyContext } from "../keymap/keymap.ts";
import type { Action } from "./layer.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** The vim keys for the named keys, in normal and visual mode. */
const KEYS: { readonly [Name in KeyAction]?: string } = {
  "vim.normal": "esc",
  "vim.redo": "ctrl+r",
  "text.left": "h",
  "text.right": "l",
  "text.wordLeft": "b",
  "text.wordRight": "w",
  "text.lineStart": "0",
  "text.lineEnd": "$",
  "text.deleteBackward": "h",
  "text.deleteForward": "x",
  "prompt.up": "k",
  "prompt.down": "j",
};

/** The prompt's own handling of an action, without vim keys. */
type Below = (ui: Ui, action: Action) => Handled;

/** The key contexts of the vim mode, before those of the prompt. */
export function vimContexts({ vim }: Ui): readonly KeyContext[] {
  if (!vim) return [];
  if (vim.mode === "insert") return ["vimInsert"];
  return vim.mode === "normal" && vim.keys === "" ? ["vimNormal"] : ["vimPending", "vimNormal"];
}

/** Handles an action with vim keys, or like the prompt without them. */
export function withVim(ui: Ui, action: Action, context: UiContext, below: Below): Handled {
  const { vim } = ui;
  if (!vim || !context.pressVim) return below(ui, action);
  if (action.type === "text" && vim.mode !== "insert") return pressAll(ui, graphemes(action.text), context, below);
  const key = action.type === "key" ? KEYS[action.name] : undefined;
  const isKey = key !== undefined && (vim.mode !== "insert" || key === "esc");
  if (isKey) return pressAll(ui, [key], context, below);
  const handled = below(ui, action);
  return { ...handled, ui: settled(handled.ui, ui) };
}

/** Characters that are typed fast arrive together; after a switch to insert mode, the rest is text. */
function pressAll(ui: Ui, keys: readonly string[], context: UiContext, below: Below): Handled {
  let now = ui;
  for (const [at, key] of keys.entries()) {
    const { vim } = now;
    if (!vim || !context.pressVim) return stay(now);
    if (vim.mode === "insert" && key !== "esc") return below(now, { type: "text", text: keys.slice(at).join("") });
    const pressed = context.pressVim({ state: vim, editor: now.editor }, key);
    const handled = afterKey(now, pressed, context, below);
    if (handled.effects.length > 0) return handled;
    now = handled.ui;
  }
  return stay(now);
}

function afterKey(before: Ui, pressed: Pressed, { nowMs }: UiContext, below: Below): Handled {
  const next = shown(before, pressed, nowMs);
  if (!pressed.wants) return stay(next);
  const name = pressed.wants === "older" ? "prompt.up" : "prompt.down";
  const handled = below(next, { type: "key", name, key: name === "prompt.up" ? "up" : "down" });
  return { ...handled, ui: settled(handled.ui, next) };
}

function shown(ui: Ui, { state, editor }: Vim, nowMs: number): Ui {
  const isNew = editor.text !== ui.editor.text;
  return {
    ...ui,
    editor,
    vim: state,
    showsKeys: false,
    // No list opens for text that is not being typed.
    completion: state.mode === "insert" ? ui.completion : { index: 0, isDismissed: true },
    typedAt: isNew || state.keys !== "" ? nowMs : ui.typedAt,
  };
}

/** After a key that is not a vim key: the cursor is put on a character, and a selection of an older text ends. */
function settled(ui: Ui, before: Ui): Ui {
  const { vim, editor } = ui;
  if (!vim || vim.mode === "insert") return ui;
  const isSame = editor.text === before.editor.text;
  const state: VimState = isSame ? vim : { ...vim, mode: "normal", keys: "", column: undefined };
  const cursor = onCharacter(editor.text, editor.cursor);
  return { ...ui, vim: state, editor: cursor === editor.cursor ? editor : moveTo(editor, cursor) };
}

/**
 * Escape and a character that directly follows it look like Alt with that character.
 * @returns the two keys, if the prompt has vim keys and would get the keys.
 */
export function escapedKeys(ui: Ui, event: KeyEvent): readonly KeyEvent[] | undefined {
  if (!ui.vim || event.type !== "key" || event.name !== "char" || !event.alt || event.ctrl) return undefined;
  const { asking, capture, picker, marking, hidden, view, search } = ui;
  if (asking ?? capture ?? picker ?? marking ?? hidden ?? view ?? search) return undefined;
  const text = event.shift ? event.char.toUpperCase() : event.char;
  return [
    { ...event, name: "escape", char: "", alt: false, shift: false },
    { type: "text", text },
  ];
}
