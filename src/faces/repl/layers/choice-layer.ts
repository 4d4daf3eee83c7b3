import type { Reply } from "../../../contracts/question.ts";
import { editText } from "../editor/edit-text.ts";
import { type Editor, emptyEditor, insertText } from "../editor/editor-state.ts";
import { pastedLine } from "../editor/pastes.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import type { KeyContext } from "../keymap/keymap.ts";
import { choiceBlock } from "../view/choice-box.tsx";
import {
  choiceReply,
  lastTab,
  markedRow,
  markRow,
  rowsOf,
  shownQuestion,
  showTab,
  toggleOption,
  withLine,
  writtenLine,
} from "./choice.ts";
import { nextMode } from "./common-actions.ts";
import type { Action, Layer } from "./layer.ts";
import { type Choosing, isChoosing } from "./open-question.ts";
import { COMMANDS_WAIT, dropEarly, GUARD_MS, HOLD_MS, isGuarded, isHeld, namesCommand, tooEarly } from "./question.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";
import { openViewer } from "./viewer-layer.ts";

type Key = Extract<Action, { type: "key" }>;

/**
 * The model's questions. While the person is still typing, they are shown above the prompt and do not take the keys.
 */
export function choiceLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { asking } = ui;
  const isInField = ui.hidden !== undefined && context.nowMs >= ui.heldUntil;
  if (!isChoosing(asking) || isInField) return undefined;
  const isWaiting = isHeld(ui, context.nowMs);
  const contexts = contextsOf(ui, asking, context);
  return {
    contexts,
    ...(contexts[0] === "guarded" && { press: (event) => dropEarly(ui, event, context) }),
    draft: (asking.writing ? writtenLine(asking) : ui.editor).text === "" ? "empty" : "typed",
    place: isWaiting ? "above" : "whole",
    handle: (action) => (isWaiting ? undefined : handle(ui, asking, action, context)),
    // A key that was pressed before the question was readable goes to the draft, and the question keeps waiting.
    passed: (below) => ({ ...below, ui: guarded(below.ui, context.nowMs + HOLD_MS) }),
    lines: (room) =>
      choiceBlock({ choosing: asking, count: context.questionCount, isHeld: isWaiting, draft: ui.editor.text }, room),
  };
}

function contextsOf(ui: Ui, { openedBy, writing }: Choosing, context: UiContext): readonly KeyContext[] {
  if (isGuarded(ui, context) && openedBy === undefined) return ["guarded"];
  if (isHeld(ui, context.nowMs)) return ["held"];
  return writing ? ["words", "text", "app"] : ["choice", "app"];
}

function handle(ui: Ui, choosing: Choosing, action: Action, context: UiContext): Handled {
  if (isGuarded(ui, context) && repeats(choosing, action)) return tooEarly(ui, context.nowMs);
  if (action.type === "key" && action.name === "choice.close") return close(ui, choosing, context);
  if (action.type === "key" && action.name === "prompt.openTranscript") return stay(openViewer(ui));
  if (action.type === "key" && action.name === "prompt.nextMode") return nextMode(ui, context);
  // Questions that cannot be read take no answer.
  if (!context.preview.isReadable) return stay(ui);
  if (choosing.writing) return lineAction(ui, choosing, action, context);
  if (action.type === "paste") return stay(write(ui, choosing, pastedLine(action.text), context));
  if (action.type === "text") return typed(ui, choosing, action.text, context);
  // A held-down Enter that sent the last prompt must not answer the question.
  if (action.name === "choice.accept" && context.nowMs - ui.sentAt < GUARD_MS)
    return tooEarly({ ...ui, sentAt: context.nowMs }, context.nowMs);
  return keyAction(ui, choosing, action, context);
}

/** Right after a step, the key that led to it is held back, because a held-down key arrives again. */
function repeats({ openedBy }: Choosing, action: Action): boolean {
  if (openedBy === undefined) return true;
  if (action.type !== "key") return action.text === openedBy;
  return action.name === "choice.accept" || action.name === "words.send" || action.key === openedBy;
}

function keyAction(ui: Ui, choosing: Choosing, { name, key }: Key, context: UiContext): Handled {
  const shown = shownQuestion(choosing);
  const at = shown ? shown.draft.at : choosing.reviewAt;
  const perform: { readonly [Name in KeyAction]?: () => Handled } = {
    "choice.pick": () => pick(ui, markTo(choosing, Number(key) - 1), context, key),
    "choice.accept": () => accept(ui, choosing, context),
    "choice.toggle": () => toggle(ui, choosing),
    "choice.up": () => stay(changed(ui, markRow(choosing, at - 1))),
    "choice.down": () => stay(changed(ui, markRow(choosing, at + 1))),
    "choice.previous": () => stay(changed(ui, showTab(choosing, choosing.tab - 1))),
    "choice.next": () => stay(changed(ui, showTab(choosing, choosing.tab + 1))),
    "choice.pageUp": () => stay(changed(ui, scrolled(choosing, -1, context))),
    "choice.pageDown": () => stay(changed(ui, scrolled(choosing, 1, context))),
  };
  return perform[name]?.() ?? stay(ui);
}

/** @returns undefined if there is no row with this number. */
function markTo(choosing: Choosing, at: number): Choosing | undefined {
  const shown = shownQuestion(choosing);
  const count = shown ? rowsOf(shown.asked).length : 2;
  return at < count ? markRow(choosing, at) : undefined;
}

/** A number chooses at once; of several choices it only sets or removes the mark. */
function pick(ui: Ui, choosing: Choosing | undefined, context: UiContext, key: string): Handled {
  if (!choosing) return stay(ui);
  return shownQuestion(choosing)?.asked.isMultiple && markedRow(choosing)?.kind === "option"
    ? toggle(ui, choosing)
    : accept(ui, choosing, context, key);
}

function accept(ui: Ui, choosing: Choosing, context: UiContext, key?: string): Handled {
  const shown = shownQuestion(choosing);
  const row = markedRow(choosing);
  if (!shown || !row)
    return choosing.reviewAt === 0 ? send(ui, choosing, false, context) : stay(open(ui, choosing, "talk"));
  if (row.kind !== "option") return stay(open(ui, choosing, row.kind));
  const { asked, draft } = shown;
  // Enter after marks goes on; without any, it chooses the marked option.
  const isSettled = asked.isMultiple ? draft.chosen.length > 0 : draft.chosen.includes(row.index);
  return advance(ui, isSettled ? choosing : toggleOption(choosing, row.index), context, key);
}

function toggle(ui: Ui, choosing: Choosing): Handled {
  const row = markedRow(choosing);
  if (!row) return stay(ui);
  return stay(row.kind === "option" ? changed(ui, toggleOption(choosing, row.index)) : open(ui, choosing, row.kind));
}

/** Goes to the next question, to the review, or sends a single answer. */
function advance(ui: Ui, choosing: Choosing, context: UiContext, key?: string): Handled {
  if (lastTab(choosing) === 0) return send(ui, choosing, false, context);
  const next = showTab(choosing, choosing.tab + 1);
  const guard = { guardedUntil: context.nowMs + GUARD_MS, openedBy: key ?? "enter", typing: undefined };
  return stay(changed(ui, { ...next, ...guard }));
}

/** Typed text begins the person's own answer; several keys that arrive together are pressed one after the other. */
function typed(ui: Ui, choosing: Choosing, text: string, context: UiContext): Handled {
  if (!/^[1-9 ]{2,}$/.test(text)) return stay(write(ui, choosing, text, context));
  // Blanks between numbers only separate them.
  const keys = /[1-9]/.test(text) ? text.replaceAll(" ", "") : text;
  return [...keys].reduce((now, one) => {
    const { asking } = now.ui;
    if (!isChoosing(asking) || now.effects.length > 0 || asking.tab !== choosing.tab) return now;
    const name = one === " " ? "choice.toggle" : "choice.pick";
    return keyAction(now.ui, asking, { type: "key", name, key: one }, context);
  }, stay(ui));
}

/** The review has no answer of its own, so words there are for the talk. */
function write(ui: Ui, choosing: Choosing, text: string, { nowMs }: UiContext): Ui {
  if (text.trim() === "") return ui;
  const shown = shownQuestion(choosing);
  const isTalk = !shown || markedRow(choosing)?.kind === "talk";
  const at = shown && !isTalk ? markRow(choosing, shown.asked.options.length) : choosing;
  const writing = { ...at, writing: isTalk ? ("talk" as const) : ("words" as const), typedAt: nowMs };
  return changed(ui, withLine(writing, insertText(writtenLine(writing), text)));
}

function open(ui: Ui, choosing: Choosing, writing: "words" | "talk"): Ui {
  return changed(ui, { ...choosing, writing });
}

/** The line for the person's own words. */
function lineAction(ui: Ui, choosing: Choosing, action: Action, context: UiContext): Handled {
  const line = writtenLine(choosing);
  const keep = (editor: Editor) =>
    stay(changed(ui, { ...withLine(choosing, editor), problem: undefined, typedAt: context.nowMs }));
  if (action.type === "text") return keep(insertText(line, action.text));
  if (action.type === "paste") return keep(insertText(line, pastedLine(action.text)));
  if (action.name === "words.back") return stay(changed(ui, { ...choosing, writing: undefined, problem: undefined }));
  if (action.name !== "words.send") return keep(editText(line, action.name) ?? line);
  if (namesCommand(line.text, context)) return stay(changed(ui, { ...choosing, problem: COMMANDS_WAIT }));
  if (choosing.writing === "talk") return send(ui, choosing, true, context);
  const left = { ...choosing, writing: undefined };
  return line.text.trim() === "" ? stay(changed(ui, withLine(left, emptyEditor))) : advance(ui, left, context);
}

function scrolled(choosing: Choosing, step: 1 | -1, { preview }: UiContext): Choosing {
  const page = Math.max(1, preview.rows - 1);
  return { ...choosing, scroll: Math.max(0, Math.min(preview.maxScroll, preview.from + step * page)) };
}

/** Sent words are no longer a draft. */
function send(ui: Ui, choosing: Choosing, isTalk: boolean, context: UiContext): Handled {
  const drafts = choosing.drafts.map((draft) => ({ ...draft, words: emptyEditor }));
  return reply(ui, { ...choosing, drafts, talk: emptyEditor }, choiceReply(choosing, isTalk), context);
}

/**
 * The turn ends, so that the person goes on in the prompt; the work of a child agent goes on without an answer.
 * Questions from the row of an agent wait there.
 */
function close(ui: Ui, choosing: Choosing, context: UiContext): Handled {
  if (choosing.isFromRow) {
    const setAside = [...ui.setAside, { ...choosing, writing: undefined }];
    return { ui: { ...ui, setAside, asking: undefined, answeredAt: context.nowMs }, effects: [{ type: "question" }] };
  }
  const isMain = choosing.question.parentAgentId === null;
  return reply(ui, choosing, { decision: "reject", ...(isMain && { endsTurn: true }) }, context);
}

function reply(ui: Ui, choosing: Choosing, answer: Reply, { nowMs }: UiContext): Handled {
  const answered = { ...changed(ui, { ...choosing, typedAt: undefined }), answeredAt: nowMs };
  return { ui: answered, effects: [{ type: "answer", id: choosing.question.id, reply: answer }] };
}

function changed(ui: Ui, choosing: Choosing): Ui {
  return { ...ui, asking: choosing };
}

function guarded(ui: Ui, guardedUntil: number): Ui {
  return isChoosing(ui.asking) ? { ...ui, asking: { ...ui.asking, guardedUntil } } : ui;
}
