import { type Editor, emptyEditor, insertText } from "../editor/editor-state.ts";
import type { Action } from "./layer.ts";
import type { Asking } from "./open-question.ts";
import { changedQuestion as changed, HOLD_MS } from "./question.ts";
import { meansNo, meansYes, type QuestionOption, questionOptions } from "./question-options.ts";
import { draftWith } from "./sync-question.ts";
import type { Ui, UiContext } from "./ui-state.ts";

/** In `openedBy`: the answers came back because the line for words was emptied. */
export const EMPTIED = "";

/** Opens the line for the words with an answer. Words that were typed for a yes are no reason of a no, and stay kept. */
export function openReason(ui: Ui, asking: Asking, { key, isYes }: QuestionOption, typed = ""): Ui {
  const { choice, keptWhy, isKeptForYes = false } = asking;
  const line = { choice: key, problem: undefined, choiceBefore: choice };
  if (!keptWhy || isKeptForYes !== isYes) return changed(ui, { ...line, why: insertText(emptyEditor, typed) });
  return changed(ui, { ...line, why: insertText(keptWhy, typed), keptWhy: undefined });
}

/**
 * Returns to the answers, with the earlier selection. The typed reason returns with the next letter, or when the answer
 * is chosen again; a typed yes is no reason, and is dropped.
 */
export function leaveReason(ui: Ui, asking: Asking): Ui {
  const { question, choice, why, choiceBefore = choice } = asking;
  const left = { choice: choiceBefore, choiceBefore: undefined, why: undefined, problem: undefined };
  const isDropped = why === undefined || (question.body.kind !== "form" && meansYes(why.text));
  if (isDropped || why.text === "") return changed(ui, left);
  // Words for the other answer, which are no longer kept here, stay as a draft.
  const editor = draftWith(ui.editor, unsentWords(asking));
  return changed({ ...ui, editor }, { ...left, keptWhy: why, isKeptForYes: isYesMarked(asking) });
}

/**
 * True if an edit leaves the line for the words: one that empties the reason of a no, which a letter opens again, and
 * backspace on an empty line.
 */
export function isLineLeft(
  asking: Asking,
  before: Editor,
  after: Editor,
  { name }: Extract<Action, { type: "key" }>,
): boolean {
  if (asking.question.body.kind === "form" || after.text !== "") return false;
  return before.text === "" ? name === "text.deleteBackward" : !isYesMarked(asking);
}

/** Returns to the answers. For a while no key answers: the person may go on with other words. */
export function leaveEmptied(ui: Ui, asking: Asking, { nowMs }: UiContext): Ui {
  const left = leaveReason(ui, { ...asking, why: emptyEditor });
  return changed(left, { guardedUntil: nowMs + HOLD_MS, openedBy: EMPTIED, typing: undefined });
}

function isYesMarked(asking: Asking): boolean {
  return questionOptions(asking).some(({ key, isYes }) => key === asking.choice && isYes);
}

/** Kept words that no answer takes stay as a draft, except for a no alone. A form's text may be a password. */
export function unsentWords({ question, keptWhy }: Asking): string {
  const words = keptWhy?.text.trim() ?? "";
  return question.body.kind === "form" || meansNo(words) ? "" : words;
}
