import type { Question, Reply } from "../../../contracts/permission.ts";
import { deleteBackward, type Editor, emptyEditor, insertText, setText } from "../editor/editor-state.ts";
import { cleanPaste } from "../editor/pastes.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import { editKey } from "./edit-keys.ts";
import { hunkInSight, leaveAllHunks, marksFor, takeAllHunks, toggleHunk } from "./hunk-marks.ts";
import { promptKey } from "./prompt-keys.ts";
import { firstChoice, questionOptions } from "./question-options.ts";
import { type Asking, type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** A person who typed this shortly before a question came may hit an answer without having read it. */
const TYPING_WINDOW_MS = 500;
/** So long no key answers a question that came in the middle of typing, or right behind another one. */
export const GUARD_MS = 400;

/** Shows the first waiting question. What was done with the one before is dropped, but for the words that were typed. */
export function syncQuestion(ui: Ui, pending: readonly Question[], nowMs: number): Ui {
  const question = pending[0];
  if (ui.asking?.question.id === question?.id) return ui;
  const kept = keepWords(ui, nowMs);
  if (!question) return { ...kept, asking: undefined };
  const keepsTyping = nowMs - kept.typedAt < TYPING_WINDOW_MS;
  // One that took another's place: a key on its way was meant for that one.
  const follows = ui.asking !== undefined || nowMs - ui.answeredAt < GUARD_MS;
  const marks = marksFor(question.preview);
  return {
    ...kept,
    asking: {
      question,
      choice: firstChoice({ question, marks }),
      scroll: 0,
      why: undefined,
      marks,
      edited: undefined,
      problem: undefined,
      guardedUntil: keepsTyping || follows ? nowMs + GUARD_MS : nowMs,
      keepsTyping,
    },
  };
}

/** The question was settled while its no was being explained: the words go on in the prompt. */
function keepWords(ui: Ui, nowMs: number): Ui {
  const words = ui.asking?.why?.text ?? "";
  if (words === "") return ui;
  const { text } = ui.editor;
  return { ...ui, editor: setText(ui.editor, text === "" ? words : `${text}\n${words}`), typedAt: nowMs };
}

/** A key that comes before the question can have been read. */
export function guardedKey(ui: Ui, asking: Asking, event: KeyEvent, context: UiContext): Handled {
  if (!asking.keepsTyping || !isTyping(event)) return stay(ui);
  const { ui: typed } = promptKey(ui, event, context);
  return stay(changed(typed, { guardedUntil: context.nowMs + GUARD_MS }));
}

/** Keys that write; those that send, leave or choose have to wait. */
function isTyping(event: KeyEvent): boolean {
  return event.type !== "key" || event.name === "backspace" || event.name === "delete";
}

/** What a key does to the question that is shown. */
export function questionKey(ui: Ui, asking: Asking, event: KeyEvent, context: UiContext): Handled {
  if (!context.preview.isReadable) {
    return event.type === "key" && event.name === "escape" ? reject(ui, asking, context) : stay(ui);
  }
  if (asking.why) return whyKey(ui, asking, asking.why, event, context);
  if (event.type === "paste") return stay(ui);
  if (event.type === "text") return textKey(ui, asking, event.text, context);
  const { maxScroll, rows } = context.preview;
  switch (event.name) {
    case "up":
    case "down":
      if (asking.marks) return stay(moveHunk(ui, asking, event.name === "up" ? -1 : 1, context));
      return stay(moveChoice(ui, asking, event.name === "up" ? -1 : 1));
    case "left":
      return stay(moveChoice(ui, asking, -1));
    case "right":
      return stay(moveChoice(ui, asking, 1));
    case "tab":
      return stay(moveChoice(ui, asking, event.shift ? -1 : 1));
    case "pageup":
      return stay(scrollBy(ui, asking, 1 - rows, context));
    case "pagedown":
      return stay(scrollBy(ui, asking, rows - 1, context));
    case "home":
      return stay(scrollBy(ui, asking, -maxScroll, context));
    case "end":
      return stay(scrollBy(ui, asking, maxScroll, context));
    case "enter":
      return answer(ui, asking, asking.choice, context);
    case "escape":
      return reject(ui, asking, context);
    default:
      return stay(ui);
  }
}

/** An answer is one character: what comes as more was not typed as one. */
function textKey(ui: Ui, asking: Asking, text: string, context: UiContext): Handled {
  const { marks, question } = asking;
  if (questionOptions(asking).some(({ key }) => key === text)) return answer(ui, asking, text, context);
  if (text === "e" && question.preview.kind === "text" && question.preview.file !== undefined && context.canEdit) {
    return { ui, effects: [{ type: "edit", id: question.id, file: question.preview.file }] };
  }
  // Keys that come fast, or one that is held down, arrive as one text.
  if (/^[jkan ]{2,}$/.test(text)) {
    return [...text].reduce(
      (now, one) => (now.ui.asking ? textKey(now.ui, now.ui.asking, one, context) : now),
      stay(ui),
    );
  }
  // Marking is meant to be applied: the cursor goes there.
  const mark = (next: typeof marks) => stay(changed(ui, { marks: next, choice: "1" }));
  switch (text) {
    case " ":
      return marks ? mark(toggleHunk(marks)) : stay(scrollBy(ui, asking, context.preview.rows - 1, context));
    case "a":
      return marks ? mark(takeAllHunks(marks)) : stay(ui);
    case "n":
      return marks ? mark(leaveAllHunks(marks)) : stay(ui);
    case "j":
      return stay(marks ? moveHunk(ui, asking, 1, context) : scrollBy(ui, asking, 1, context));
    case "k":
      return stay(marks ? moveHunk(ui, asking, -1, context) : scrollBy(ui, asking, -1, context));
    default:
      return stay(ui);
  }
}

function moveChoice(ui: Ui, asking: Asking, step: number): Ui {
  const options = questionOptions(asking);
  const at = options.findIndex(({ key }) => key === asking.choice);
  const next = options[(Math.max(0, at) + step + options.length) % options.length];
  return next ? changed(ui, { choice: next.key }) : ui;
}

function moveHunk(ui: Ui, { marks }: Asking, step: number, { preview }: UiContext): Ui {
  if (!marks) return ui;
  const at = Math.max(0, Math.min(marks.count - 1, marks.at + step));
  // The first one is shown with what stands above it: the file's name.
  const scroll = at === 0 ? 0 : Math.min(preview.maxScroll, preview.anchors[at] ?? 0);
  return changed(ui, { marks: { ...marks, at }, scroll });
}

function scrollBy(ui: Ui, { scroll, marks }: Asking, lines: number, { preview }: UiContext): Ui {
  const { maxScroll, anchors, rows } = preview;
  const next = Math.max(0, Math.min(maxScroll, Math.min(scroll, maxScroll) + lines));
  if (!marks) return changed(ui, { scroll: next });
  return changed(ui, { scroll: next, marks: { ...marks, at: hunkInSight(marks.at, anchors, next, rows) } });
}

function answer(ui: Ui, asking: Asking, key: string, context: UiContext): Handled {
  const option = questionOptions(asking).find((one) => one.key === key);
  if (!option) return stay(ui);
  if (option.reply === "say why") return stay(changed(ui, { choice: key, why: emptyEditor }));
  return settle(ui, asking, option.reply, context);
}

function reject(ui: Ui, asking: Asking, context: UiContext): Handled {
  return settle(ui, asking, { decision: "reject" }, context);
}

/** The line that tells the model why not. */
function whyKey(ui: Ui, asking: Asking, why: Editor, event: KeyEvent, context: UiContext): Handled {
  const keep = (editor: Editor) => stay(changed(ui, { why: editor }));
  if (event.type === "text") return keep(insertText(why, event.text));
  if (event.type === "paste") return keep(insertText(why, cleanPaste(event.text).replace(/\s*\n\s*/g, " ")));
  if (event.name === "escape") return stay(changed(ui, { why: undefined }));
  if (event.name === "backspace" && !event.alt) return keep(deleteBackward(why));
  if (event.name !== "enter") return keep(editKey(why, event) ?? why);
  const message = why.text.trim();
  return settle(ui, asking, message === "" ? { decision: "reject" } : { decision: "reject", message }, context);
}

function settle(ui: Ui, { question }: Asking, reply: Reply, { nowMs }: UiContext): Handled {
  const answered = { ...changed(ui, { why: undefined }), answeredAt: nowMs };
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
  const guard = { guardedUntil: nowMs + GUARD_MS, keepsTyping: false };
  return changed(ui, { problem: undefined, ...result, ...guard, ...(result.edited !== undefined && { scroll: 0 }) });
}

function changed(ui: Ui, changes: Partial<Asking>): Ui {
  return ui.asking ? { ...ui, asking: { ...ui.asking, ...changes } } : ui;
}
