import type { PermissionMode } from "../../../contracts/permission.ts";
import { indexAt, layoutEditor } from "../editor/editor-layout.ts";
import {
  type Editor,
  editorWith,
  emptyEditor,
  insertText,
  moveTo,
  replaceRange,
  setText,
} from "../editor/editor-state.ts";
import { type History, newerEntry, olderEntry, remember } from "../editor/history.ts";
import { cleanPaste, foldPaste, placeholderAt, unfoldPastes } from "../editor/pastes.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import { chosenCompletion, completions } from "./completion.ts";
import { editKey } from "./edit-keys.ts";
import { type Draft, type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

type Key = Extract<KeyEvent, { type: "key" }>;

/** Longer texts are remembered with their pastes folded: a history is for what was said. */
const MAX_REMEMBERED_CHARS = 10_000;

/** What a key does to the prompt. */
export function promptKey(ui: Ui, event: KeyEvent, context: UiContext): Handled {
  if (event.type === "text") return stay(typed(ui, event.text, context));
  if (event.type === "paste") return stay(pasted(ui, event.text, context));
  switch (event.name) {
    case "enter":
      return event.shift || event.alt || event.ctrl ? stay(typed(ui, "\n", context)) : enter(ui, context);
    case "tab":
      return event.shift ? nextMode(ui, context) : tabKey(ui, context);
    case "up":
    case "down":
      return vertical(ui, event.name, context);
    case "char":
      if (event.ctrl && event.char === "j") return stay(typed(ui, "\n", context));
      if (event.ctrl && event.char === "o") return stay(openPaste(ui));
      if (event.ctrl && event.char === "x") return dropWaiting(ui);
      return stay(edited(ui, event, context));
    case "backspace":
    case "delete":
      return stay(erasePlaceholder(ui, event.name === "backspace" ? "before" : "after") ?? edited(ui, event, context));
    default:
      return stay(edited(ui, event, context));
  }
}

function typed(ui: Ui, text: string, { nowMs }: UiContext): Ui {
  if (text === "?" && ui.editor.text === "") return { ...ui, showsKeys: !ui.showsKeys };
  return change(ui, insertText(ui.editor, text), nowMs);
}

function pasted(ui: Ui, text: string, { nowMs }: UiContext): Ui {
  const { shown, pastes } = foldPaste(ui.pastes, cleanPaste(text));
  return { ...change(ui, insertText(ui.editor, shown), nowMs), pastes };
}

function edited(ui: Ui, event: Key, { nowMs }: UiContext): Ui {
  const editor = editKey(ui.editor, event);
  return editor ? change(ui, editor, nowMs) : ui;
}

function change(ui: Ui, editor: Editor, nowMs: number): Ui {
  const isNew = editor.text !== ui.editor.text;
  return {
    ...ui,
    editor,
    showsKeys: false,
    completion: isNew ? { index: 0, isDismissed: false } : ui.completion,
    typedAt: isNew ? nowMs : ui.typedAt,
  };
}

function enter(ui: Ui, context: UiContext): Handled {
  const { editor } = ui;
  if (editor.text[editor.cursor - 1] === "\\") {
    return stay(change(ui, replaceRange(editor, editor.cursor - 1, editor.cursor, "\n"), context.nowMs));
  }
  const completion = chosenCompletion(ui, completions(ui, context.commands));
  const shown = completion ? `/${completion.name}` : editor.text;
  if (shown.trim() === "") {
    const effects: Handled["effects"] = !context.isBusy && ui.queue.length > 0 ? [{ type: "go_on" }] : [];
    return { ui: { ...ui, showsKeys: false }, effects };
  }
  return send(ui, shown, context, "steer");
}

/** Enters what is typed: at once, or for its time when a turn runs. Commands don't wait. */
function send(ui: Ui, shown: string, context: UiContext, when: "steer" | "next"): Handled {
  const { editor } = ui;
  const text = unfoldPastes(ui.pastes, shown);
  const remembered = text.length > MAX_REMEMBERED_CHARS ? shown : text;
  const isQueued = context.isBusy && parseCommand(text) === undefined;
  const cleared: Ui = {
    ...ui,
    editor: { ...emptyEditor, killed: editor.killed },
    // Names of placeholders stay taken while something waits with them.
    pastes: isQueued || ui.queue.length > 0 ? ui.pastes : new Map(),
    history: remember(ui.history, remembered),
    completion: { index: 0, isDismissed: false },
    showsKeys: false,
  };
  if (isQueued) {
    const time = text.trimStart().startsWith("!") ? "shell" : when;
    return { ui: cleared, effects: [{ type: "enqueue", when: time, shown, pastes: ui.pastes, text, remembered }] };
  }
  return { ui: cleared, effects: [{ type: "submit", text, remembered }] };
}

/** `/name rest`. A path (`/usr/bin`) is no command. */
export function parseCommand(text: string): { readonly name: string; readonly argument: string } | undefined {
  const match = /^\/([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(text.trim());
  return match ? { name: match[1] ?? "", argument: (match[2] ?? "").trim() } : undefined;
}

/** Completes a command; while a turn runs, puts what is typed behind it. */
function tabKey(ui: Ui, context: UiContext): Handled {
  const completion = chosenCompletion(ui, completions(ui, context.commands));
  if (completion) return stay(change(ui, setText(ui.editor, `/${completion.name} `), context.nowMs));
  const { text } = ui.editor;
  const isPrompt = text.trim() !== "" && parseCommand(text) === undefined;
  return context.isBusy && isPrompt ? send(ui, text, context, "next") : stay(ui);
}

/** The newest of the person's own inputs that wait. */
function newestWaiting({ queue }: Ui) {
  return queue.findLast(({ when }) => when !== "later");
}

function dropWaiting(ui: Ui): Handled {
  const newest = newestWaiting(ui);
  return newest ? { ui, effects: [{ type: "withdraw", id: newest.id, edit: false }] } : stay(ui);
}

function nextMode(ui: Ui, { mode, modes }: UiContext): Handled {
  const next: PermissionMode = modes[(modes.indexOf(mode) + 1) % modes.length] ?? "default";
  return { ui, effects: [{ type: "mode", mode: next }] };
}

/** Through the completions, else to what waits, else through the rows, else through the history. */
function vertical(ui: Ui, direction: "up" | "down", context: UiContext): Handled {
  const newest = newestWaiting(ui);
  if (direction === "up" && ui.editor.text === "" && newest) {
    return { ui, effects: [{ type: "withdraw", id: newest.id, edit: true }] };
  }
  return stay(move(ui, direction, context));
}

function move(ui: Ui, direction: "up" | "down", { columns, commands }: UiContext): Ui {
  const step = direction === "up" ? -1 : 1;
  const found = completions(ui, commands);
  if (found.length > 0) {
    const index = (Math.min(ui.completion.index, found.length - 1) + step + found.length) % found.length;
    return { ...ui, completion: { ...ui.completion, index } };
  }
  const layout = layoutEditor(ui.editor.text, ui.editor.cursor, columns);
  const row = layout.row + step;
  if (row >= 0 && row < layout.rows.length) {
    return { ...ui, editor: moveTo(ui.editor, indexAt(layout, row, layout.column)) };
  }
  const entry = direction === "up" ? olderEntry(ui.history, ui.editor.text) : newerEntry(ui.history);
  return entry ? fromHistory(ui, entry) : ui;
}

function fromHistory(ui: Ui, { history, text }: { history: History; text: string }): Ui {
  // A command from the history is not completed: ↑ would stop there.
  return { ...ui, history, editor: editorWith(text), completion: { index: 0, isDismissed: true } };
}

/** Puts what was entered but not sent back into the prompt, before what is there. */
export function takeBack(ui: Ui, drafts: readonly Draft[]): Ui {
  if (drafts.length === 0) return ui;
  const parts = [...drafts.map(({ shown }) => shown), ...(ui.editor.text === "" ? [] : [ui.editor.text])];
  const pastes = new Map([...drafts.flatMap((draft) => [...draft.pastes]), ...ui.pastes]);
  return { ...ui, pastes, editor: setText(ui.editor, parts.join("\n")) };
}

function openPaste(ui: Ui): Ui {
  const { editor, pastes } = ui;
  const found =
    placeholderAt(pastes, editor.text, editor.cursor, "before") ??
    placeholderAt(pastes, editor.text, editor.cursor, "after");
  const text = found && pastes.get(found.name);
  return found && text !== undefined ? { ...ui, editor: replaceRange(editor, found.from, found.to, text) } : ui;
}

/** A placeholder is one thing: erasing a part of it erases it. */
function erasePlaceholder(ui: Ui, side: "before" | "after"): Ui | undefined {
  const found = placeholderAt(ui.pastes, ui.editor.text, ui.editor.cursor, side);
  return found && { ...ui, editor: replaceRange(ui.editor, found.from, found.to, "") };
}
