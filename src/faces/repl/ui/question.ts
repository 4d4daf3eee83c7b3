import type { Question, Reply } from "../../../contracts/permission.ts";
import { deleteBackward, type Editor, emptyEditor, insertText, setText } from "../editor/editor-state.ts";
import { cleanPaste } from "../editor/pastes.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import { editKey } from "./edit-keys.ts";
import { hunkInSight, leaveAllHunks, marksFor, takeAllHunks, toggleHunk } from "./hunk-marks.ts";
import { promptKey } from "./prompt-keys.ts";
import { firstChoice, questionOptions, standingChoice } from "./question-options.ts";
import { type Asking, type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

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

/** A key that comes before the question can have been read: it goes to the draft, and the question waits on. */
export function heldKey(ui: Ui, event: KeyEvent, context: UiContext): Handled {
  const isLate = ui.asking?.typing === "reason" && event.type === "key" && event.name === "enter";
  const typed = isLate ? stay(ui) : promptKey(ui, event, context);
  return { ...typed, ui: changed(typed.ui, { guardedUntil: context.nowMs + HOLD_MS }) };
}

/** Whether a key may still be meant for the question before, or for the editor. */
export function isGuarded({ asking }: Ui, { nowMs }: UiContext): boolean {
  return asking !== undefined && asking.typing === undefined && nowMs < asking.guardedUntil;
}

/** Whether the draft still takes the keys, although a question has come. */
export function isHeld({ asking }: Ui, nowMs: number): boolean {
  return asking?.typing !== undefined && nowMs < asking.guardedUntil;
}

/** What a key does to the question that is shown. */
export function questionKey(ui: Ui, asking: Asking, event: KeyEvent, context: UiContext): Handled {
  if (!context.preview.isReadable) return stay(ui);
  if (asking.why) return whyKey(ui, asking, asking.why, event, context);
  if (event.type === "paste") return explain(ui, asking, pasteLine(event.text));
  if (event.type === "text") return textKey(ui, asking, event.text, context);
  const { maxScroll, rows } = context.preview;
  switch (event.name) {
    case "up":
    case "down":
      if (event.shift) return stay(scrollBy(ui, asking, event.name === "up" ? -1 : 1, context));
      if (asking.marks) return stay(moveHunk(ui, asking, event.name === "up" ? -1 : 1, context));
      return stay(moveChoice(ui, asking, event.name === "up" ? -1 : 1, context));
    case "left":
      return stay(moveChoice(ui, asking, -1, context));
    case "right":
      return stay(moveChoice(ui, asking, 1, context));
    case "tab":
      return stay(moveChoice(ui, asking, event.shift ? -1 : 1, context));
    case "pageup":
      return stay(scrollBy(ui, asking, -Math.max(1, rows - 1), context));
    case "pagedown":
      return stay(scrollBy(ui, asking, Math.max(1, rows - 1), context));
    case "home":
      return stay(scrollBy(ui, asking, -maxScroll, context));
    case "end":
      return stay(scrollBy(ui, asking, maxScroll, context));
    case "enter":
      return answer(ui, asking, standingChoice(asking, context.preview.isSeen), context);
    case "char":
      return event.ctrl && event.char === "e" ? openEditor(ui, asking, context) : stay(ui);
    default:
      return stay(ui);
  }
}

/** An answer is one character: what comes as more was not typed as one. */
function textKey(ui: Ui, asking: Asking, text: string, context: UiContext): Handled {
  const { marks } = asking;
  if (questionOptions(asking).some(({ key }) => key === text)) return answer(ui, asking, text, context);
  if (/\p{L}/u.test(text)) return explain(ui, asking, text);
  // Keys that come fast, or one that is held down, arrive as one text.
  if (/^[+\- ]{2,}$/.test(text)) {
    return [...text].reduce(
      (now, one) => (now.ui.asking ? textKey(now.ui, now.ui.asking, one, context) : now),
      stay(ui),
    );
  }
  // Marking is meant to be applied: the cursor goes there.
  const mark = (next: typeof marks) => stay(changed(ui, { marks: next, choice: "1", isMoved: true }));
  switch (text) {
    case " ":
      return marks
        ? mark(toggleHunk(marks))
        : stay(scrollBy(ui, asking, Math.max(1, context.preview.rows - 1), context));
    case "+":
      return marks ? mark(takeAllHunks(marks)) : stay(ui);
    case "-":
      return marks ? mark(leaveAllHunks(marks)) : stay(ui);
    default:
      return stay(ui);
  }
}

/** Words can only be a no: they open its line, behind what was written there before. */
function explain(ui: Ui, asking: Asking, text: string): Handled {
  const option = questionOptions(asking).find(({ reply }) => reply === "say why");
  if (!option) return stay(ui);
  return stay(changed(ui, { choice: option.key, why: insertText(asking.keptWhy ?? emptyEditor, text) }));
}

function pasteLine(text: string): string {
  return cleanPaste(text).replace(/\s*\n\s*/g, " ");
}

function openEditor(ui: Ui, { question }: Asking, { canEdit }: UiContext): Handled {
  const file = question.preview.kind === "text" ? question.preview.file : undefined;
  return file !== undefined && canEdit ? { ui, effects: [{ type: "edit", id: question.id, file }] } : stay(ui);
}

function moveChoice(ui: Ui, asking: Asking, step: number, { preview }: UiContext): Ui {
  const options = questionOptions(asking);
  const from = standingChoice(asking, preview.isSeen);
  const at = options.findIndex(({ key }) => key === from);
  const next = options[(Math.max(0, at) + step + options.length) % options.length];
  return next ? changed(ui, { choice: next.key, isMoved: true }) : ui;
}

function moveHunk(ui: Ui, { marks }: Asking, step: number, { preview }: UiContext): Ui {
  if (!marks) return ui;
  const at = Math.max(0, Math.min(marks.count - 1, marks.at + step));
  // The first one is shown with what stands above it: the file's name.
  const scroll = at === 0 ? 0 : Math.min(preview.maxScroll, preview.anchors[at] ?? 0);
  return changed(ui, { marks: { ...marks, at }, scroll });
}

function scrollBy(ui: Ui, { scroll, marks }: Asking, lines: number, { preview }: UiContext): Ui {
  const { from, maxScroll, anchors, rows } = preview;
  // Where nobody has scrolled yet, a small window does not begin at the top.
  const start = scroll === 0 ? from : Math.min(scroll, maxScroll);
  const next = Math.max(0, Math.min(maxScroll, start + lines));
  if (!marks) return changed(ui, { scroll: next });
  return changed(ui, { scroll: next, marks: { ...marks, at: hunkInSight(marks.at, anchors, next, rows) } });
}

function answer(ui: Ui, asking: Asking, key: string, context: UiContext): Handled {
  const option = questionOptions(asking).find((one) => one.key === key);
  if (!option) return stay(ui);
  if (option.reply === "say why") return stay(changed(ui, { choice: key, why: asking.keptWhy ?? emptyEditor }));
  if (option.reply === "choose how long") return stay(openTerm(ui, context));
  if (option.reply === "back") return stay(leaveTerm(ui));
  return settle(ui, asking, option.reply, context);
}

/** The key that opened the step is not its answer: a key that is held down comes again. */
function openTerm(ui: Ui, { nowMs }: UiContext): Ui {
  return changed(ui, { choice: "1", isChoosingTerm: true, guardedUntil: nowMs + GUARD_MS, typing: undefined });
}

/** Back to the first answers, with the offer marked. */
export function leaveTerm(ui: Ui): Ui {
  if (!ui.asking) return ui;
  const { question, marks } = ui.asking;
  const offer = questionOptions({ question, marks }).find(({ reply }) => reply === "choose how long");
  return changed(ui, { isChoosingTerm: false, choice: offer?.key ?? "1" });
}

/** A no without words. */
export function reject(ui: Ui, asking: Asking, context: UiContext): Handled {
  return settle(ui, asking, { decision: "reject" }, context);
}

/** The line that tells the model why not. */
function whyKey(ui: Ui, asking: Asking, why: Editor, event: KeyEvent, context: UiContext): Handled {
  const keep = (editor: Editor) => stay(changed(ui, { why: editor }));
  if (event.type === "text") return keep(insertText(why, event.text));
  if (event.type === "paste") return keep(insertText(why, pasteLine(event.text)));
  if (event.name === "backspace" && !event.alt) return keep(deleteBackward(why));
  if (event.name !== "enter") return keep(editKey(why, event) ?? why);
  const message = why.text.trim();
  return settle(ui, asking, message === "" ? { decision: "reject" } : { decision: "reject", message }, context);
}

function settle(ui: Ui, { question }: Asking, reply: Reply, { nowMs }: UiContext): Handled {
  const answered = { ...changed(ui, { why: undefined, keptWhy: undefined }), answeredAt: nowMs };
  return { ui: answered, effects: [{ type: "reply", id: question.id, reply }] };
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
  return changed(ui, { problem: undefined, ...result, ...guard, ...(result.edited !== undefined && { scroll: 0 }) });
}

function changed(ui: Ui, changes: Partial<Asking>): Ui {
  return ui.asking ? { ...ui, asking: { ...ui.asking, ...changes } } : ui;
}

/** Back to the answers; the words are there again with the next letter, or when the answer is chosen again. */
export function leaveReason(ui: Ui): Ui {
  return changed(ui, { why: undefined, keptWhy: ui.asking?.why });
}
