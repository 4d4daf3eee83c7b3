import type { DialogQuestion, Question } from "../../../contracts/question.ts";
import { type Editor, emptyEditor, setText } from "../editor/editor-state.ts";
import type { RowQuestions } from "../tasks/row-questions.ts";
import { newChoosing, typedWords } from "./choice.ts";
import { marksFor } from "./hunk-marks.ts";
import { type Asking, isChoosing } from "./open-question.ts";
import { GUARD_MS, HOLD_MS, isHeld } from "./question.ts";
import { firstChoice, questionOptions } from "./question-options.ts";
import type { Ui } from "./ui-state.ts";

const NO_ROWS: RowQuestions = new Map();

/**
 * Shows the first waiting question, except those that wait in rows; an open question stays open while it waits. The
 * state of a settled question is dropped, except its typed text.
 */
export function syncQuestion(ui: Ui, pending: readonly Question[], nowMs: number, inRows = NO_ROWS): Ui {
  const now = withoutSettled(ui, pending, nowMs);
  if (now.asking && pending.some(({ id }) => id === now.asking?.question.id)) return now;
  const rows = new Set([...inRows.values()].map(({ id }) => id));
  const question = pending.find(({ id }) => !rows.has(id));
  if (!question && !now.asking) return now;
  const kept = keepWords(now, nowMs);
  if (!question) return { ...kept, asking: undefined };
  const isReason = kept.editor !== now.editor;
  const typing = isReason ? "reason" : typingAt(now, nowMs);
  const guardedUntil = nowMs + (typing ? HOLD_MS : followsAnother(now, nowMs) ? GUARD_MS : 0);
  return { ...kept, asking: askingOf(question, { guardedUntil, typing }) };
}

/** Opens a question that waits in the row of an agent, as the person left it. */
export function openRowQuestion(ui: Ui, { body, ...head }: Question, nowMs: number): Ui {
  if (body.kind !== "choice" || ui.asking) return ui;
  const left = ui.setAside.find(({ question }) => question.id === head.id);
  const setAside = ui.setAside.filter((one) => one !== left);
  const guard = { guardedUntil: nowMs + GUARD_MS, openedBy: "enter", typing: undefined };
  const choosing = { ...(left ?? newChoosing({ ...head, body }, guard)), ...guard, isFromRow: true };
  return { ...ui, strip: undefined, setAside, asking: choosing };
}

/** Drops questions that the person left and that were settled in another way; their words go to the prompt. */
function withoutSettled(ui: Ui, pending: readonly Question[], nowMs: number): Ui {
  const settled = ui.setAside.filter(({ question }) => !pending.some(({ id }) => id === question.id));
  if (settled.length === 0) return ui;
  const setAside = ui.setAside.filter((one) => !settled.includes(one));
  return withWords({ ...ui, setAside }, settled.map(typedWords).filter(Boolean).join("\n"), nowMs);
}

function askingOf({ body, ...head }: Question, guard: Pick<Asking, "guardedUntil" | "typing">): Ui["asking"] {
  if (body.kind === "choice") return newChoosing({ ...head, body }, guard);
  const question = { ...head, body };
  const marks = marksFor(body.preview);
  const typed = typedOption(question);
  return {
    question,
    choice: typed?.key ?? firstChoice({ question, marks }),
    isChoosingTerm: false,
    scroll: 0,
    why: typed && prefilled(question),
    keptWhy: undefined,
    marks,
    edited: undefined,
    problem: undefined,
    ...guard,
  };
}

/** For an answer that is typed, the line is open at once, so that no digit chooses an option. */
function typedOption(question: DialogQuestion) {
  if (question.body.kind !== "form" || question.body.hazards) return undefined;
  return questionOptions({ question, marks: undefined }).find(({ reply }) => reply === "say why");
}

function prefilled(question: DialogQuestion): Editor {
  return setText(emptyEditor, prefillOf(question) ?? "");
}

function prefillOf({ body }: DialogQuestion): string | undefined {
  return body.kind !== "form" ? undefined : body.choices.find(({ isTyped }) => isTyped)?.prefill;
}

/** The draft that the person is typing when a question arrives; the keys still go to this draft. */
function typingAt(ui: Ui, nowMs: number): Asking["typing"] {
  // The previous question never took the keys, so they still belong to the same draft.
  if (isHeld(ui, nowMs)) return ui.asking?.typing;
  const isTyping = nowMs - ui.typedAt < HOLD_MS;
  const hasTypedSince = isTyping && ui.typedAt > ui.answeredAt;
  // After another question, a draft is already set aside, unless the person keeps typing in it.
  if (followsAnother(ui, nowMs)) return hasTypedSince ? "draft" : undefined;
  return isTyping || ui.editor.text !== "" ? "draft" : undefined;
}

/** True if a key that has already been pressed may be meant for the previous question. */
function followsAnother(ui: Ui, nowMs: number): boolean {
  return ui.asking !== undefined || nowMs - ui.answeredAt < GUARD_MS;
}

/**
 * If the question was settled while the person was explaining a "no", the typed text moves to the prompt. The text of a
 * server's form is dropped, because it may be a password and is not meant for the model.
 */
function keepWords(ui: Ui, nowMs: number): Ui {
  if (ui.asking?.question.body.kind === "form") return withoutForm(ui, nowMs);
  return withWords(ui, unsentWords(ui.asking), nowMs);
}

function withWords(ui: Ui, words: string, nowMs: number): Ui {
  return words === "" ? ui : { ...ui, editor: draftWith(ui.editor, words), typedAt: nowMs };
}

/** Adds words to the draft of the prompt, in a row of their own. */
export function draftWith(editor: Editor, words: string): Editor {
  if (words === "") return editor;
  return setText(editor, editor.text === "" ? words : `${editor.text}\n${words}`);
}

/** The words that the person typed into a question and did not send. */
function unsentWords(asking: Ui["asking"]): string {
  if (isChoosing(asking)) return typedWords(asking);
  return [asking?.keptWhy, asking?.why].flatMap((words) => words?.text || []).join("\n");
}

function withoutForm(ui: Ui, nowMs: number): Ui {
  const { typedAt = Number.NEGATIVE_INFINITY } = ui.asking ?? {};
  return nowMs - typedAt < HOLD_MS ? { ...ui, asking: undefined, mutedUntil: nowMs + HOLD_MS } : ui;
}
