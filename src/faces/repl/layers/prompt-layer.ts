import { plural } from "@quoll/terminal-text/plural";
import { parseCommand } from "../../../protocol/commands/slash-commands.ts";
import { editText } from "../editor/edit-text.ts";
import { indexAt, layoutEditor } from "../editor/editor-layout.ts";
import {
  type Editor,
  editorWith,
  insertText,
  moveTo,
  replaceRange,
  selectionOf,
  setText,
} from "../editor/editor-state.ts";
import { type History, newerEntry, olderEntry, remember, withoutPastes } from "../editor/history.ts";
import { emptySearch } from "../editor/history-search.ts";
import { imagePaths } from "../editor/image-paths.ts";
import { cleanPaste, foldPaste, limitPastes, placeholderAt, unfoldPastes } from "../editor/pastes.ts";
import { nextPrompt } from "../editor/vim/vim-state.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { awaitedTasks } from "../tasks/shown-tasks.ts";
import { promptLines } from "../view/prompt-lines.ts";
import { fromNow, isArmed, LEAVE_WINDOW_MS, nextMode } from "./common-actions.ts";
import {
  armedToDrop,
  besideReturned,
  dropTaken,
  nextDraft,
  selectText,
  shownGhost,
  stashDraft,
} from "./draft-actions.ts";
import { askedToLeave, isExitWord, leaveByWord, neverQueued } from "./exit-word.ts";
import type { Action, Layer } from "./layer.ts";
import { placeholderOf } from "./prompt-placeholder.ts";
import { type Armed, type Draft, type Handled, stay, type Ui, type UiContext, type Waiting } from "./ui-state.ts";
import { openViewer } from "./viewer-layer.ts";
import { vimContexts, withVim } from "./vim-layer.ts";

/** Of longer texts, the folded pastes are saved apart, because the saved history is for typed text. */
const MAX_REMEMBERED_CHARS = 10_000;

/** A second press within this time stops the agents: a chord takes longer than a key. */
const STOP_AGENTS_MS = 4_000;

/** The prompt, at the bottom of the stack. */
export function promptLayer(ui: Ui, context: UiContext): Layer {
  const { isBusy, isStopping } = context;
  return {
    contexts: [...vimContexts(ui), isStopping ? "stopping" : isBusy ? "turn" : "idle", "prompt", "text", "app"],
    draft: ui.editor.text === "" ? "empty" : "typed",
    place: "whole",
    handle: (action) => withVim(ui, action, context, (now, one) => handle(now, one, context)),
    lines: (room) => promptLines(ui, room, { ghost: shownGhost(ui, context), placeholder: placeholderOf(ui, context) }),
  };
}

type Perform = (ui: Ui, context: UiContext, key: string) => Handled;

const PERFORM: { readonly [Name in KeyAction]?: Perform } = {
  "prompt.submit": submit,
  "prompt.newLine": (ui, context) => stay(typed(ui, "\n", context)),
  "prompt.queueNext": queueNext,
  "prompt.nextMode": nextMode,
  "prompt.up": up,
  "prompt.down": (ui, context) => stay(enterStrip(ui, context) ?? move(ui, 1, context)),
  "turn.background": toBackground,
  "prompt.openTranscript": (ui) => stay(openViewer(ui)),
  "prompt.printFolded": (ui) => ({ ui, effects: [{ type: "unfold" }] }),
  "prompt.foldSteps": (ui) => stay({ ...ui, foldsTodos: !ui.foldsTodos }),
  "prompt.openPaste": (ui) => stay(openPaste(ui)),
  "agents.stopAll": stopAgents,
  "help.toggle": (ui, context) =>
    // The second press searches all keys.
    ui.showsKeys
      ? command({ ...ui, showsKeys: false }, "/help", context)
      : stay({ ...ui, showsKeys: true, keysPage: 0 }),
  "draft.clear": (ui) => stay(clearDraft(ui)),
  "draft.clearTwice": (ui, context, key) => stay(clearTwice(ui, key, context)),
  "prompt.rewindTwice": rewindTwice,
  "prompt.chooseModel": (ui, context) => command(ui, "/model", context),
  "prompt.chooseThinking": (ui, context) => command(ui, "/thinking", context),
  "search.open": (ui) => stay({ ...ui, search: emptySearch, showsKeys: false }),
  "prompt.pasteImage": (ui) => ({ ui, effects: [{ type: "paste_image" }] }),
  "prompt.stash": (ui, context) => stay(stashed(ui, context)),
  "prompt.openEditor": (ui) => ({
    ui,
    effects: [{ type: "edit_draft", text: unfoldPastes(ui.pastes, ui.editor.text) }],
  }),
};

function handle(ui: Ui, action: Action, context: UiContext): Handled {
  if (action.type === "text") return stay(typed(ui, action.text, context));
  if (action.type === "paste") return pasted(ui, action.text, context);
  const { name, key } = action;
  const perform = PERFORM[name];
  if (perform) return perform(ui, context, key);
  return stay(
    withGhost(ui, name, context) ?? dropTaken(ui, name) ?? erasePlaceholder(ui, name) ?? edited(ui, name, context),
  );
}

function typed(before: Ui, text: string, { nowMs }: UiContext): Ui {
  const ui = besideReturned(before, text);
  return changeDraft(ui, insertText(ui.editor, text), nowMs);
}

function pasted(ui: Ui, text: string, context: UiContext): Handled {
  const paths = imagePaths(text);
  if (!paths) return stay(pasteText(ui, text, context));
  return { ui, effects: [{ type: "paste_image", files: { paths, text } }] };
}

/** Adds placeholders for pasted images to the draft; each placeholder is deleted as a whole. */
export function withImages(ui: Ui, marks: readonly string[], { nowMs }: Pick<UiContext, "nowMs">): Ui {
  const changed = changeDraft(ui, insertText(ui.editor, marks.map((mark) => `${mark} `).join("")), nowMs);
  return { ...changed, pastes: new Map([...ui.pastes, ...marks.map((mark) => [mark, mark] as const)]) };
}

/** Adds a pasted text to the draft; a long text is folded. */
export function pasteText(before: Ui, text: string, { nowMs }: Pick<UiContext, "nowMs">): Ui {
  const ui = besideReturned(before, text);
  const { shown, pastes } = foldPaste(ui.pastes, cleanPaste(text));
  return { ...changeDraft(ui, insertText(ui.editor, shown), nowMs), pastes };
}

function edited(ui: Ui, name: KeyAction, context: UiContext): Ui {
  const editor = editText(ui.editor, name) ?? selectText(ui.editor, name, (one, step) => rowFrom(one, step, context));
  return editor ? changeDraft(ui, editor, context.nowMs) : ui;
}

/** At the end of the draft, a step forward accepts the rest of the earlier input shown there. */
function withGhost(ui: Ui, name: KeyAction, context: UiContext): Ui | undefined {
  const ghost = name === "text.right" || name === "text.lineEnd" ? shownGhost(ui, context) : undefined;
  return ghost === undefined ? undefined : changeDraft(ui, insertText(ui.editor, ghost), context.nowMs);
}

/** Changes the draft: hints about the previous draft disappear. */
export function changeDraft(ui: Ui, editor: Editor, nowMs: number): Ui {
  const isNew = editor.text !== ui.editor.text;
  return {
    ...ui,
    editor,
    showsKeys: false,
    completion: isNew ? { index: 0, isDismissed: false } : ui.completion,
    typedAt: isNew ? nowMs : ui.typedAt,
  };
}

/** A `/` as the first key begins a command in the empty prompt, and closes the list or text that is open. */
export function beginCommand(ui: Ui, action: Action, nowMs: number): Handled | undefined {
  if (action.type !== "text" || !action.text.startsWith("/") || ui.editor.text !== "") return undefined;
  const closed = { ...ui, picker: undefined, marking: undefined, view: undefined };
  return stay(changeDraft(closed, insertText(ui.editor, action.text), nowMs));
}

function stashed(ui: Ui, { nowMs }: UiContext): Ui {
  const { editor, stash } = stashDraft(ui);
  return { ...changeDraft(fromNow(ui), editor, nowMs), stash };
}

/** Undo restores the draft. */
function clearDraft(ui: Ui): Ui {
  const { editor } = ui;
  return {
    ...fromNow(ui),
    showsKeys: false,
    editor: {
      ...editor,
      text: "",
      cursor: 0,
      anchor: undefined,
      undo: [...editor.undo, { text: editor.text, cursor: editor.cursor }],
    },
  };
}

/** Clears the draft at the second press. With vim keys, the first press is often a habit. */
function clearTwice(ui: Ui, key: string, { nowMs }: UiContext): Ui {
  if (ui.vim) return ui;
  if (isArmed(ui, "clear", key, nowMs)) return { ...clearDraft(ui), armed: undefined };
  return {
    ...ui,
    armed: { by: key, does: "clear", says: `${key} again clears the draft`, until: nowMs + LEAVE_WINDOW_MS },
  };
}

/** Opens the list of prompts at the second press. With vim keys, the key is often a habit. */
function rewindTwice(ui: Ui, context: UiContext, key: string): Handled {
  const { nowMs } = context;
  if (ui.vim) return stay(ui);
  if (isArmed(ui, "rewind", key, nowMs)) return command({ ...ui, armed: undefined }, "/rewind", context);
  const armed = { by: key, does: "rewind", says: `${key} again goes back to an earlier prompt` } as const;
  return stay({ ...ui, armed: { ...armed, until: nowMs + LEAVE_WINDOW_MS } });
}

/** Runs a command that opens a list over the draft. */
function command(ui: Ui, text: string, { nowMs }: UiContext): Handled {
  // The person expects the list, so it takes the keys at once.
  return { ui: { ...ui, answeredAt: nowMs }, effects: [{ type: "submit", text, remembered: "" }] };
}

function submit(ui: Ui, context: UiContext): Handled {
  const { editor } = ui;
  if (editor.text[editor.cursor - 1] === "\\") {
    return stay(changeDraft(ui, replaceRange(editor, editor.cursor - 1, editor.cursor, "\n"), context.nowMs));
  }
  if (editor.text.trim() === "") {
    const effects: Handled["effects"] = !context.isBusy && ui.queue.length > 0 ? [{ type: "take_queued" }] : [];
    return { ui: { ...ui, showsKeys: false }, effects };
  }
  if (isExitWord(editor.text)) return leaveByWord(ui, context);
  return sendText(ui, editor.text, context, "steer");
}

/** Submits the typed text: directly, or to the queue if a turn runs. Commands don't wait. */
export function sendText(ui: Ui, shown: string, context: UiContext, when: "steer" | "next"): Handled {
  const asked = askedToLeave(ui, shown, context);
  if (asked) return asked;
  const text = unfoldPastes(ui.pastes, shown);
  const saved =
    text.length > MAX_REMEMBERED_CHARS ? { remembered: shown, keeps: ownPastes(ui, shown) } : { remembered: text };
  const isCommand = parseCommand(text) !== undefined;
  const isQueued = context.isBusy && !isCommand;
  const drafts = [shown, ui.stash ?? "", ...ui.queue.map((waiting) => waiting.shown)];
  const { pastes, dropped } = limitPastes(ui.pastes, (name) => drafts.some((one) => one.includes(name)));
  const cleared: Ui = {
    ...ui,
    ...nextDraft(ui),
    returned: undefined,
    // A prompt that was put aside has come back once more.
    ...(ui.returned !== undefined && ui.returned === ui.stash && asReturned(ui.returned)),
    vim: ui.vim && nextPrompt(ui.vim),
    // A placeholder keeps its paste, for drafts and for the history.
    pastes,
    history: remember(withoutPastes(ui.history, dropped), shown),
    completion: { index: 0, isDismissed: false },
    showsKeys: false,
    pickerPlaces: [],
    // After sending, the person is no longer typing, so a new question may take the keys.
    typedAt: Number.NEGATIVE_INFINITY,
    sentAt: context.nowMs,
    // The list of a typed command is expected, although a stashed draft is back.
    ...(isCommand && ui.stash !== undefined && { answeredAt: context.nowMs }),
    exitAskedUntil: Number.NEGATIVE_INFINITY,
  };
  if (isQueued) {
    const time = text.trimStart().startsWith("!") ? "shell" : when;
    return { ui: cleared, effects: [{ type: "enqueue", when: time, shown, pastes: ui.pastes, text, ...saved }] };
  }
  const hasPaste = ui.pastes.keys().some((name) => shown.includes(name));
  const draft = { shown, pastes: ui.pastes };
  return { ui: cleared, effects: [{ type: "submit", text, ...saved, ...(hasPaste && { draft }) }] };
}

/** The pastes that a text names. An image stands for itself. */
function ownPastes({ pastes }: Pick<Ui, "pastes">, shown: string): Ui["pastes"] {
  return new Map([...pastes].filter(([name, paste]) => name !== paste && shown.includes(name)));
}

/** While a turn runs, queues the typed text for the next turn. */
function queueNext(ui: Ui, context: UiContext): Handled {
  const { text } = ui.editor;
  if (context.isBusy && isExitWord(text)) return neverQueued(ui, context);
  const isPrompt = text.trim() !== "" && parseCommand(text) === undefined;
  return context.isBusy && isPrompt ? sendText(ui, text, context, "next") : stay(ui);
}

/** The newest of the person's waiting inputs, which a key takes back. */
export function newestWaiting({ queue }: Pick<Ui, "queue">): Waiting | undefined {
  return queue.findLast(({ when }) => when !== "later");
}

/** Moves up through the rows first, then withdraws the newest waiting input from the queue, then shows the history. */
function up(ui: Ui, context: UiContext): Handled {
  const newest = newestWaiting(ui);
  const isInRows = rowFrom(ui.editor, -1, context) !== undefined;
  // Further presses stay in the history.
  const isAtDraft = ui.history.at === ui.history.entries.length;
  if (newest && !isInRows && isAtDraft) return { ui, effects: [{ type: "withdraw", id: newest.id }] };
  return stay(move(ui, -1, context));
}

/** The strip of tasks is below an empty prompt. */
function enterStrip(ui: Ui, { tasks: [first] = [] }: UiContext): Ui | undefined {
  const isAtDraft = ui.history.at === ui.history.entries.length;
  return first && ui.editor.text === "" && isAtDraft ? { ...ui, strip: first.info.id } : undefined;
}

/** Lets the turn continue without the work that it waits for. */
function toBackground(ui: Ui, context: UiContext): Handled {
  const awaited = awaitedTasks(context.tasks ?? []);
  const { commandCalls: commands = [] } = context;
  if (awaited.length + commands.length === 0) return stay(edited(ui, "text.left", context));
  return {
    ui,
    effects: [
      ...awaited.map(({ info }) => ({ type: "task", does: "background", id: info.id }) as const),
      ...commands.map((id) => ({ type: "task", does: "release", id }) as const),
    ],
  };
}

/** Stops the background agents at the second press. */
function stopAgents(ui: Ui, { tasks = [], nowMs }: UiContext, key: string): Handled {
  const agents = tasks.filter(
    ({ info, endedAt }) => info.can.includes("answer") && info.isBackground && endedAt === undefined,
  );
  if (agents.length > 0 && isArmed(ui, "stop_agents", key, nowMs)) {
    const effects = agents.map(({ info }) => ({ type: "task", does: "stop", id: info.id }) as const);
    return { ui: { ...ui, armed: undefined }, effects };
  }
  const until = nowMs + STOP_AGENTS_MS;
  const armed: Armed =
    agents.length > 0
      ? { by: key, does: "stop_agents", says: `again stops ${plural(agents.length, "agent")}`, until }
      : { by: key, does: "nothing", says: "no agent in the background", until };
  return stay({ ...ui, armed });
}

function move(ui: Ui, step: 1 | -1, context: UiContext): Ui {
  const editor = rowFrom(ui.editor, step, context);
  if (editor) return { ...ui, editor };
  const entry = step < 0 ? olderEntry(ui.history, ui.editor.text) : newerEntry(ui.history);
  return entry ? fromHistory(ui, entry) : ui;
}

/** Moves the cursor one row up or down. @returns undefined at the first and the last row. */
function rowFrom(editor: Editor, step: 1 | -1, { columns }: UiContext): Editor | undefined {
  const layout = layoutEditor(editor.text, editor.cursor, columns);
  const row = layout.row + step;
  return row >= 0 && row < layout.rows.length ? moveTo(editor, indexAt(layout, row, layout.column)) : undefined;
}

function fromHistory(ui: Ui, { history, text }: { history: History; text: string }): Ui {
  // A command from the history opens no completion list, which would catch the next ↑.
  return { ...ui, history, editor: editorWith(text), completion: { index: 0, isDismissed: true } };
}

/** Puts a prompt that was refused, cancelled or rewound back into the prompt. A typed `/` begins a command. */
export function takeReturned(ui: Ui, draft: Draft): Ui {
  const back = takeBack(ui, [draft]);
  return ui.editor.text === "" ? { ...back, ...asReturned(back.editor.text) } : back;
}

function asReturned(text: string): Pick<Ui, "returned" | "armed"> {
  const armed = armedToDrop(text.length);
  return { returned: text, armed: { ...armed, says: `${armed.says} · / begins a command` } };
}

/** Puts an unsent input back into the prompt, before the draft's text. Backspace as the next key removes the input. */
export function takeBack(ui: Ui, drafts: readonly Draft[]): Ui {
  if (drafts.length === 0) return ui;
  const taken = drafts.map(({ shown }) => shown).join("\n");
  const text = ui.editor.text === "" ? taken : `${taken}\n${ui.editor.text}`;
  const pastes = new Map([...drafts.flatMap((draft) => [...draft.pastes]), ...ui.pastes]);
  return { ...ui, pastes, editor: setText(ui.editor, text), armed: armedToDrop(taken.length) };
}

/** Replaces the placeholder at the cursor by its paste. */
function openPaste(ui: Ui): Ui {
  const { editor, pastes } = ui;
  const found =
    placeholderAt(pastes, editor.text, editor.cursor, "before") ??
    placeholderAt(pastes, editor.text, editor.cursor, "after");
  const text = found && pastes.get(found.name);
  if (!found || text === undefined) return ui;
  return { ...ui, editor: replaceRange(editor, found.from, found.to, text) };
}

/** Deletes a placeholder as a whole. */
function erasePlaceholder(ui: Ui, name: KeyAction): Ui | undefined {
  const isBefore = name === "text.deleteBackward" || name === "text.cutPartBackward";
  if (!isBefore && name !== "text.deleteForward" && name !== "text.cutWordForward") return undefined;
  if (selectionOf(ui.editor)) return undefined;
  const found = placeholderAt(ui.pastes, ui.editor.text, ui.editor.cursor, isBefore ? "before" : "after");
  return found && { ...ui, editor: replaceRange(ui.editor, found.from, found.to, "") };
}
