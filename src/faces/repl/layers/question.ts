import type { Question } from "../../../contracts/question.ts";
import { setText } from "../editor/editor-state.ts";
import { marksFor } from "./hunk-marks.ts";
import { firstChoice } from "./question-options.ts";
import type { Asking, Ui, UiContext } from "./ui-state.ts";

/** A question that comes while a person types takes no key before they have paused for so long. */
export const HOLD_MS = 1_000;
/** So long no key answers a question that came right behind another one: it may be the key of that one, pressed again. */
export const GUARD_MS = 400;

/** Shows the first waiting question. What was done with the one before is dropped, but for the words that were typed. */
export function syncQuestion(ui: Ui, pending: readonly Question[], nowMs: number): Ui {
  const question = pending[0];
  if (ui.asking?.question.id === question?.id) return ui;
  const kept = keepWords(ui, nowMs);
  if (!question) return { ...kept, asking: undefined };
  const typing = kept !== ui ? "reason" : typingAt(ui, nowMs);
  const marks = marksFor(question.preview);
  return {
    ...kept,
    asking: {
      question,
      choice: firstChoice({ question, marks }),
      isChoosingTerm: false,
      scroll: 0,
      why: undefined,
      keptWhy: undefined,
      marks,
      edited: undefined,
      problem: undefined,
      guardedUntil: nowMs + (typing ? HOLD_MS : followsAnother(ui, nowMs) ? GUARD_MS : 0),
      typing,
    },
  };
}

/** What the person is typing when a question comes: its keys go on there. */
function typingAt(ui: Ui, nowMs: number): Asking["typing"] {
  // The question before never took the focus: its keys belong to the same words.
  if (isHeld(ui, nowMs)) return ui.asking?.typing;
  const isTyping = nowMs - ui.typedAt < HOLD_MS;
  const hasTypedSince = isTyping && ui.typedAt > ui.answeredAt;
  // Behind another question a draft is set aside already, unless its words go on.
  if (followsAnother(ui, nowMs)) return hasTypedSince ? "draft" : undefined;
  return isTyping || ui.editor.text !== "" ? "draft" : undefined;
}

/** A key on its way may have been meant for the question before. */
function followsAnother(ui: Ui, nowMs: number): boolean {
  return ui.asking !== undefined || nowMs - ui.answeredAt < GUARD_MS;
}

/** The question was settled while its no was being explained: the words go on in the prompt. */
function keepWords(ui: Ui, nowMs: number): Ui {
  const words = (ui.asking?.why ?? ui.asking?.keptWhy)?.text ?? "";
  if (words === "") return ui;
  const { text } = ui.editor;
  return { ...ui, editor: setText(ui.editor, text === "" ? words : `${text}\n${words}`), typedAt: nowMs };
}

/** Whether a key may still be meant for the question before, or for the editor. */
export function isGuarded({ asking }: Ui, { nowMs }: UiContext): boolean {
  return asking !== undefined && asking.typing === undefined && nowMs < asking.guardedUntil;
}

/** Whether the draft still takes the keys, although a question has come. */
export function isHeld({ asking }: Ui, nowMs: number): boolean {
  return asking?.typing !== undefined && nowMs < asking.guardedUntil;
}

/**
 * The person is back from the editor, with a text or with why there is none. The last keys of the editor are no answer.
 * @returns undefined when the question is no longer there.
 */
export function afterEditing(
  ui: Ui,
  id: string,
  result: Pick<Partial<Asking>, "edited" | "problem">,
  nowMs: number,
): Ui | undefined {
  if (ui.asking?.question.id !== id) return undefined;
  const guard = { guardedUntil: nowMs + GUARD_MS, typing: undefined };
  return changedQuestion(ui, {
    problem: undefined,
    ...result,
    ...guard,
    ...(result.edited !== undefined && { scroll: 0 }),
  });
}

export function changedQuestion(ui: Ui, changes: Partial<Asking>): Ui {
  return ui.asking ? { ...ui, asking: { ...ui.asking, ...changes } } : ui;
}
