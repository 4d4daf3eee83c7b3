import type { Reply } from "../../../contracts/question.ts";
import { editText } from "../editor/edit-text.ts";
import { type Editor, insertText } from "../editor/editor-state.ts";
import { pastedLine } from "../editor/pastes.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import type { KeyContext } from "../keymap/keymap.ts";
import { questionBlock } from "../view/question-box.tsx";
import { hasDetails } from "../view/question-parts.ts";
import { actionOf } from "./action-of.ts";
import { nextMode, scrollSteps } from "./common-actions.ts";
import { hunkInSight, leaveAllHunks, takeAllHunks, toggleHunk } from "./hunk-marks.ts";
import type { Action, Layer } from "./layer.ts";
import { type Asking, isChoosing } from "./open-question.ts";
import {
  beginsWords,
  COMMANDS_WAIT,
  changedQuestion as changed,
  dropEarly,
  GUARD_MS,
  HOLD_MS,
  isGuarded,
  isHeld,
  namesCommand,
  tooEarly,
} from "./question.ts";
import {
  isDangerous,
  meansNo,
  meansYes,
  questionOptions,
  selectedChoice,
  typedYes,
  withWords,
} from "./question-options.ts";
import { EMPTIED, isLineLeft, leaveEmptied, leaveReason, openReason, unsentWords } from "./question-words.ts";
import { draftWith } from "./sync-question.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";
import { openViewer } from "./viewer-layer.ts";

/**
 * A question to the person. While the person is still typing, the question is shown above the prompt and does not take
 * the keys.
 */
export function questionLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { asking } = ui;
  // A field that may hold a key keeps the keys until it is left.
  const isInField = ui.hidden !== undefined && context.nowMs >= ui.heldUntil;
  if (!asking || isChoosing(asking) || isInField) return undefined;
  const isWaiting = isHeld(ui, context.nowMs);
  const { questionCount: count, canEdit } = context;
  const contexts = contextsOf(ui, asking, context);
  return {
    contexts,
    ...(contexts[0] === "guarded" && { press: (event) => dropEarly(ui, event, context) }),
    draft: (asking.why ?? ui.editor).text === "" ? "empty" : "typed",
    place: isWaiting ? "above" : "whole",
    handle: (action) => (isWaiting ? scrollWaiting(ui, asking, action, context) : handle(ui, asking, action, context)),
    // A key that was pressed before the question was readable goes to the draft, and the question keeps waiting.
    passed: (below) => ({ ...below, ui: changed(below.ui, { guardedUntil: context.nowMs + HOLD_MS }) }),
    lines: (room) => questionBlock({ asking, count, canEdit, isHeld: isWaiting, draft: ui.editor.text }, room),
  };
}

/** The prompt does not use the page keys, so they already scroll the question. */
function scrollWaiting(ui: Ui, asking: Asking, action: Action, context: UiContext): Handled | undefined {
  const isPage = action.type === "key" && (action.name === "question.pageUp" || action.name === "question.pageDown");
  return isPage ? stay(scrollAction(ui, asking, action, context)) : undefined;
}

function contextsOf(ui: Ui, asking: Asking, context: UiContext): readonly KeyContext[] {
  const { why, typing, isChoosingTerm, openedBy } = asking;
  if (isGuarded(ui, context) && openedBy === undefined) return ["guarded"];
  if (isHeld(ui, context.nowMs)) return typing === "reason" ? ["lateReason", "held"] : ["held"];
  if (why) return ["reason", "text", "app"];
  return isChoosingTerm ? ["term", "question", "app"] : ["question", "app"];
}

function handle(ui: Ui, asking: Asking, action: Action, context: UiContext): Handled {
  if (isGuarded(ui, context) && repeatsAnswer(asking, action)) return tooEarly(ui, context.nowMs);
  const refused = action.type === "key" ? wayOut(ui, asking, action, context) : undefined;
  if (refused) return refused;
  if (action.type === "key" && action.name === "prompt.openTranscript") return stay(openViewer(ui));
  // A question that cannot be read accepts no yes.
  if (!context.preview.isReadable) return stay(ui);
  if (asking.why) return reasonAction(ui, asking, asking.why, action, context);
  const ofDraft = draftAction(ui, asking, action, context);
  if (ofDraft) return ofDraft;
  if (action.type === "paste") return explain(ui, asking, pastedLine(action.text), context);
  if (action.type === "text") return textAction(ui, asking, action.text, context);
  // A held-down Enter that sent the last prompt must not answer the question.
  if (action.name === "question.accept" && context.nowMs - ui.sentAt < GUARD_MS) {
    return tooEarly({ ...ui, sentAt: context.nowMs }, context.nowMs);
  }
  const calm = { ...ui, sentAt: Number.NEGATIVE_INFINITY };
  return keyAction(calm, asking, action, context) ?? stay(scrollAction(calm, asking, action, context));
}

/**
 * A pause does not tell that the person has left a draft: words go on with it, and Enter and Tab, which may be meant to
 * send or complete it, are to be pressed again.
 */
function draftAction(ui: Ui, asking: Asking, action: Action, { nowMs }: UiContext): Handled | undefined {
  if (asking.typing !== "draft" || asking.isMoved || ui.editor.text === "") return undefined;
  if (action.type === "text" && beginsWords(action.text))
    return stay(changed({ ...ui, editor: insertText(ui.editor, action.text) }, { guardedUntil: nowMs + HOLD_MS }));
  const isOfBoth = action.type === "key" && (action.name === "question.accept" || action.name === "question.words");
  return isOfBoth ? tooEarly(changed(ui, { typing: undefined }), nowMs) : undefined;
}

const ANSWERS: ReadonlySet<string> = new Set(["question.answer", "question.accept", "question.no"]);

/** In a later step of a question, only the keys that opened the step are held back, and after a deletion the answers. */
function repeatsAnswer({ openedBy }: Asking, action: Action): boolean {
  if (openedBy === undefined) return true;
  if (openedBy === EMPTIED) return action.type === "key" && ANSWERS.has(action.name);
  return action.type === "text" ? action.text === openedBy : action.type === "key" && action.name === "question.accept";
}

/** Saying no or going back is possible in every window. */
function wayOut(ui: Ui, asking: Asking, { name }: Key, context: UiContext): Handled | undefined {
  switch (name) {
    case "question.reject":
      // Who opened the details leaves them first.
      if (asking.isExplained) return stay(changed(ui, { isExplained: false }));
      return settle(ui, asking, { decision: "reject" }, context);
    case "question.no":
      return settle(ui, asking, { decision: "reject" }, context);
    case "term.back":
      return stay(leaveTerm(ui));
    case "reason.back":
      return stay(leaveReason(ui, asking));
    default:
      return undefined;
  }
}

type Key = Extract<Action, { type: "key" }>;

function keyAction(ui: Ui, asking: Asking, { name, key }: Key, context: UiContext): Handled | undefined {
  const { marks } = asking;
  const moveRow = (step: number) => stay((marks ? moveHunk : moveChoice)(ui, asking, step, context));
  const perform: { readonly [Name in KeyAction]?: () => Handled | undefined } = {
    "question.answer": () => mutedAfterDigit(answer(ui, asking, key, context), asking, context),
    "question.accept": () =>
      namesCommand(asking.word ?? "", context)
        ? stay(changed(ui, { word: undefined, problem: COMMANDS_WAIT }))
        : answer(ui, asking, selectedChoice(asking, context.preview.isSeen), context),
    "question.previous": () => stay(moveChoice(ui, asking, -1, context)),
    "question.next": () => stay(moveChoice(ui, asking, 1, context)),
    "question.up": () => moveRow(-1),
    "question.down": () => moveRow(1),
    "question.toggle": () => (marks ? mark(ui, toggleHunk(marks)) : undefined),
    "question.takeAll": () => (marks ? mark(ui, takeAllHunks(marks)) : stay(ui)),
    "question.takeNone": () => (marks ? mark(ui, leaveAllHunks(marks)) : stay(ui)),
    "question.edit": () => openEditor(ui, asking, context),
    "question.words": () => stay(openWords(ui, asking, context)),
    "question.explain": () => {
      if (!hasDetails(asking)) return stay(ui);
      return stay(changed(ui, { isExplained: !(asking.isExplained ?? isDangerous(asking.question)) }));
    },
    "prompt.nextMode": () => nextMode(ui, context),
  };
  return perform[name]?.();
}

function scrollAction(ui: Ui, asking: Asking, { name }: Key, context: UiContext): Ui {
  const page = Math.max(1, context.preview.rows - 1);
  const steps = name === "question.toggle" ? page : scrollSteps(name, page);
  return steps === undefined ? ui : scrollBy(ui, asking, steps, context);
}

/** After marking, the selection moves to the answer that applies the marks. */
function mark(ui: Ui, marks: Asking["marks"]): Handled {
  return stay(changed(ui, { marks, choice: "1", isMoved: true }));
}

/** A single typed character chooses an answer; longer input was pasted. */
function textAction(ui: Ui, asking: Asking, text: string, context: UiContext): Handled {
  if (beginsWords(text)) return explain(ui, asking, text, context);
  // Keys that are typed fast or held down arrive as one text.
  if (!/^[+\- ]{2,}$/.test(text)) return stay(text.trim() === "" ? ui : withoutYes(ui, asking, context));
  return [...text].reduce((now, one) => {
    const layer = questionLayer(now.ui, context);
    const action = layer && actionOf({ type: "text", text: one }, layer, context.keymap);
    return (action && layer?.handle(action)) ?? now;
  }, stay(ui));
}

/** Signs that mean no answer move the mark from a yes to the no: Enter after them is no consent. */
function withoutYes(ui: Ui, asking: Asking, { preview }: UiContext): Ui {
  const options = questionOptions(asking);
  const selected = selectedChoice(asking, preview.isSeen);
  const no = options.find(({ reply }) => reply === "say why") ?? options.find(({ isYes }) => !isYes);
  const isOfYes = options.some(({ key, isYes }) => key === selected && isYes);
  return no && isOfYes ? changed(ui, { choice: no.key, isMoved: true, word: undefined }) : ui;
}

/**
 * Typed text explains a no: it opens the line for the reason and is appended to the reason. For a question without
 * reasons, the selection moves to "no", so that Enter after the text does not mean yes. Only a typed yes does.
 */
function explain(ui: Ui, asking: Asking, text: string, { nowMs, preview }: UiContext): Handled {
  const options = questionOptions(asking);
  const option = options.find(({ reply }) => reply === "say why");
  if (!option) {
    const word = `${asking.word ?? ""}${text}`;
    const yes = meansYes(word) ? typedYes(asking, preview.isSeen) : undefined;
    const next = yes ?? options.find(({ isYes }) => !isYes);
    return stay(next ? changed(ui, { choice: next.key, isMoved: true, word }) : ui);
  }
  return stay(changed(openReason(ui, asking, option, text), { typedAt: nowMs }));
}

function openEditor(ui: Ui, { question }: Asking, { canEdit }: UiContext): Handled {
  const { preview } = question.body;
  const file = preview.kind === "text" ? preview.file : undefined;
  return file !== undefined && canEdit ? { ui, effects: [{ type: "edit", id: question.id, file }] } : stay(ui);
}

function moveChoice(ui: Ui, asking: Asking, step: number, { preview }: UiContext): Ui {
  const options = questionOptions(asking);
  const from = selectedChoice(asking, preview.isSeen);
  const at = options.findIndex(({ key }) => key === from);
  const next = options[(Math.max(0, at) + step + options.length) % options.length];
  return next ? changed(ui, { choice: next.key, isMoved: true, word: undefined }) : ui;
}

function moveHunk(ui: Ui, { marks }: Asking, step: number, { preview }: UiContext): Ui {
  if (!marks) return ui;
  const at = Math.max(0, Math.min(marks.count - 1, marks.at + step));
  // The first hunk is shown with the file's name above it.
  const scroll = at === 0 ? 0 : Math.min(preview.maxScroll, preview.anchors[at] ?? 0);
  return changed(ui, { marks: { ...marks, at }, scroll });
}

function scrollBy(ui: Ui, { scroll, marks }: Asking, lines: number, { preview }: UiContext): Ui {
  const { from, maxScroll, anchors, rows } = preview;
  // Before any scrolling, a small window may start further down.
  const start = scroll === 0 ? from : Math.min(scroll, maxScroll);
  const next = Math.max(0, Math.min(maxScroll, start + lines));
  if (!marks) return changed(ui, { scroll: next });
  return changed(ui, { scroll: next, marks: { ...marks, at: hunkInSight(marks.at, anchors, next, rows) } });
}

function answer(ui: Ui, asking: Asking, key: string, context: UiContext): Handled {
  const option = questionOptions(asking).find((one) => one.key === key);
  if (!option) return stay(ui);
  if (option.reply === "say why") return stay(openReason(ui, asking, option));
  if (option.reply === "choose how long") return stay(openTerm(ui, key, context));
  if (option.reply === "back") return stay(leaveTerm(ui));
  return settle(ui, asking, option.reply, context);
}

/** A digit may be the first of a password that the person types without looking: the rest must not become a prompt. */
function mutedAfterDigit(answered: Handled, { question }: Asking, { nowMs }: UiContext): Handled {
  const { body } = question;
  const asksForSecret =
    body.kind === "form" && body.hazards !== undefined && body.choices.some(({ isTyped }) => isTyped);
  if (!asksForSecret || answered.effects.length === 0) return answered;
  return { ...answered, ui: { ...answered.ui, mutedUntil: nowMs + HOLD_MS } };
}

/** The key that opened this step does not answer it, because a held-down key arrives again. */
function openTerm(ui: Ui, openedBy: string, { nowMs }: UiContext): Ui {
  const guard = { guardedUntil: nowMs + GUARD_MS, openedBy, typing: undefined };
  return changed(ui, { choice: "1", isChoosingTerm: true, ...guard });
}

/** Returns to the first answers, with the offer selected. */
function leaveTerm(ui: Ui): Ui {
  if (!ui.asking || isChoosing(ui.asking)) return ui;
  const { question, marks } = ui.asking;
  const offer = questionOptions({ question, marks }).find(({ reply }) => reply === "choose how long");
  return changed(ui, { isChoosingTerm: false, choice: offer?.key ?? "1" });
}

/** The line for the words with an answer. */
function reasonAction(ui: Ui, asking: Asking, why: Editor, action: Action, context: UiContext): Handled {
  const keep = (editor: Editor) => stay(changed(ui, { why: editor, problem: undefined, typedAt: context.nowMs }));
  if (action.type === "text") return keep(insertText(why, action.text));
  if (action.type === "paste") return keep(insertText(why, pastedLine(action.text)));
  if (action.name !== "reason.send") {
    const edited = editText(why, action.name) ?? why;
    return isLineLeft(asking, why, edited, action) ? stay(leaveEmptied(ui, asking, context)) : keep(edited);
  }
  const message = why.text.trim();
  // Enter on the empty line takes the default, or leaves an optional field empty.
  const instead = questionOptions(asking).find(({ isYes, reply }) => isYes && reply !== "say why");
  const isForm = asking.question.body.kind === "form";
  if (isForm && message === "" && instead) return answer(ui, asking, instead.key, context);
  if (isForm) return settle(ui, asking, { decision: "text", text: message }, context);
  if (namesCommand(message, context)) return stay(changed(ui, { problem: COMMANDS_WAIT }));
  const chosen = questionOptions(asking).find(({ key }) => key === asking.choice);
  if (chosen?.isYes && !meansNo(message)) return yesWithWords(ui, asking, message, context);
  if (!chosen?.isYes && meansYes(message)) return sayYes(ui, asking, context);
  const hasReason = message !== "" && !chosen?.isYes;
  return settle(ui, asking, hasReason ? { decision: "reject", message } : { decision: "reject" }, context);
}

/** A preview that a smaller window cuts since the line was opened accepts no yes until it was seen again. */
function yesWithWords(ui: Ui, asking: Asking, words: string, context: UiContext): Handled {
  const key = selectedChoice(asking, context.preview.isSeen);
  const option = questionOptions(asking).find((one) => one.key === key);
  const reply = option && withWords(asking.question, option, meansYes(words) ? "" : words);
  return reply ? settle(ui, asking, reply, context) : stay(leaveReason(ui, asking));
}

/** A yes in words counts where a yes is selected first; elsewhere it must be chosen. */
function sayYes(ui: Ui, asking: Asking, context: UiContext): Handled {
  const yes = typedYes(asking, context.preview.isSeen);
  if (yes) return answer(ui, asking, yes.key, context);
  const refusal = questionOptions(asking).find(({ isYes }) => !isYes);
  const problem = "A yes must be chosen here: press its number, or no.";
  return stay(changed(ui, { why: undefined, choice: refusal?.key ?? asking.choice, problem }));
}

function settle(ui: Ui, asking: Asking, reply: Reply, { nowMs }: UiContext): Handled {
  const editor = draftWith(ui.editor, unsentWords(asking));
  const answered = changed({ ...ui, editor }, { why: undefined, keptWhy: undefined, typedAt: undefined });
  return {
    ui: { ...answered, answeredAt: nowMs },
    effects: [{ type: "answer", id: asking.question.id, reply }],
  };
}

/** Opens the line for words with the marked answer, if the answer takes words. */
function openWords(ui: Ui, asking: Asking, { preview }: UiContext): Ui {
  const key = selectedChoice(asking, preview.isSeen);
  const option = questionOptions(asking).find((one) => one.key === key);
  const takesWords = option && (option.reply === "say why" || withWords(asking.question, option, ""));
  return takesWords ? openReason(ui, asking, option) : ui;
}
