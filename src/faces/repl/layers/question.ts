import type { DialogQuestion, Question } from "../../../contracts/question.ts";
import { type Editor, emptyEditor, setText } from "../editor/editor-state.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import { keyName } from "../keymap/key-name.ts";
import { boundAction } from "../keymap/keymap.ts";
import type { RowQuestions } from "../tasks/row-questions.ts";
import { newChoosing, typedWords } from "./choice.ts";
import { marksFor } from "./hunk-marks.ts";
import { type Asking, isChoosing } from "./open-question.ts";
import { firstChoice, questionOptions } from "./question-options.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** A question that arrives while a person types takes no key before a pause of this length. */
export const HOLD_MS = 1_000;
/** How long no key answers a question that directly follows another question: the key may be a repetition. */
export const GUARD_MS = 400;

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
  if (words === "") return ui;
  const { text } = ui.editor;
  return { ...ui, editor: setText(ui.editor, text === "" ? words : `${text}\n${words}`), typedAt: nowMs };
}

/** The words that the person typed into a question and did not send. */
function unsentWords(asking: Ui["asking"]): string {
  if (isChoosing(asking)) return typedWords(asking);
  return (asking?.why ?? asking?.keptWhy)?.text ?? "";
}

function withoutForm(ui: Ui, nowMs: number): Ui {
  const { typedAt = Number.NEGATIVE_INFINITY } = ui.asking ?? {};
  return nowMs - typedAt < HOLD_MS ? { ...ui, asking: undefined, mutedUntil: nowMs + HOLD_MS } : ui;
}

/** True if a key may still be meant for the previous question, or for the editor. */
export function isGuarded({ asking }: Ui, { nowMs }: UiContext): boolean {
  return asking !== undefined && asking.typing === undefined && nowMs < asking.guardedUntil;
}

/** How long the status line says that a key came too early. */
const TOO_EARLY_MS = 2_000;
const TOO_EARLY = "too early: press it again";
/** The person does not press these for an answer. */
const NO_ANSWERS: ReadonlySet<string | undefined> = new Set(["wheelup", "wheeldown", "click"]);

/** Drops a key that came before the question takes keys, and says so. */
export function tooEarly(ui: Ui, nowMs: number): Handled {
  return stay({ ...ui, armed: { by: "", does: "nothing", says: TOO_EARLY, until: nowMs + TOO_EARLY_MS } });
}

/** Drops the keys that no question takes yet, except those that stop. @returns undefined for a key that counts. */
export function dropEarly(ui: Ui, event: KeyEvent, { nowMs, keymap }: UiContext): Handled | undefined {
  const key = keyName(event);
  if (key !== undefined && boundAction(keymap, key, ["guarded"], "empty") !== undefined) return undefined;
  return NO_ANSWERS.has(key) ? stay(ui) : tooEarly(ui, nowMs);
}

/** True if the draft still takes the keys after a question has arrived. */
export function isHeld({ asking }: Ui, nowMs: number): boolean {
  return asking?.typing !== undefined && nowMs < asking.guardedUntil;
}

/**
 * Called when the person has left the editor, with a text or a problem. The last keys in the editor must not answer the
 * question.
 * @returns undefined if the question no longer exists.
 */
export function afterEditing(
  ui: Ui,
  id: string,
  result: Pick<Partial<Asking>, "edited" | "problem">,
  nowMs: number,
): Ui | undefined {
  if (ui.asking?.question.id !== id) return undefined;
  const guard = { guardedUntil: nowMs + GUARD_MS, openedBy: undefined, typing: undefined };
  return changedQuestion(ui, {
    problem: undefined,
    ...result,
    ...guard,
    ...(result.edited !== undefined && { scroll: 0 }),
  });
}

export function changedQuestion(ui: Ui, changes: Partial<Asking>): Ui {
  return ui.asking && !isChoosing(ui.asking) ? { ...ui, asking: { ...ui.asking, ...changes } } : ui;
}
