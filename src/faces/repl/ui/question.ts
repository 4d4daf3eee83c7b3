import type { Question, Reply } from "../../../contracts/permission.ts";
import { deleteBackward, type Editor, emptyEditor, insertText } from "../editor/editor-state.ts";
import { cleanPaste } from "../editor/pastes.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import { editKey } from "./edit-keys.ts";
import { type Asking, type Effect, type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** A person who typed this shortly before a question came may hit an answer without having read it. */
const TYPING_WINDOW_MS = 500;
const GUARD_MS = 500;
const SCROLL_LINES = 5;

export type QuestionOption = { readonly key: string; readonly label: string; readonly reply: Reply | "say why" };

/** The answers; the numbers are the same whether or not there is a rule to keep. */
export function questionOptions(question: Question): readonly QuestionOption[] {
  const always = {
    key: "3",
    label: `always: ${question.suggestions.join(", ")}`,
    reply: { decision: "always" },
  } as const;
  return [
    { key: "1", label: "once", reply: { decision: "once" } },
    { key: "2", label: "this session", reply: { decision: "session" } },
    ...(question.suggestions.length > 0 ? [always] : []),
    { key: "4", label: "no", reply: { decision: "reject" } },
    { key: "5", label: "no, and say why", reply: "say why" },
  ];
}

/** Shows the first waiting question; what was done with the one before is dropped. */
export function syncQuestion(ui: Ui, pending: readonly Question[], nowMs: number): Ui {
  const question = pending[0];
  if (!question) return ui.asking ? { ...ui, asking: undefined } : ui;
  if (ui.asking?.question.id === question.id) return ui;
  const wasTyping = nowMs - ui.typedAt < TYPING_WINDOW_MS;
  const guardedUntil = wasTyping ? nowMs + GUARD_MS : nowMs;
  return { ...ui, asking: { question, choice: 0, scroll: 0, why: undefined, guardedUntil } };
}

export function questionKey(ui: Ui, asking: Asking, event: KeyEvent, context: UiContext): Handled {
  if (asking.why) return whyKey(ui, asking, asking.why, event);
  const options = questionOptions(asking.question);
  if (event.type === "paste") return stay(ui);
  if (event.type === "text") {
    const index = options.findIndex(({ key }) => key === event.text);
    if (index < 0)
      return event.text === " " ? stay(with_(ui, { choice: (asking.choice + 1) % options.length })) : stay(ui);
    return answer(ui, asking, index);
  }
  switch (event.name) {
    case "up":
    case "left":
      return stay(with_(ui, { choice: (asking.choice + options.length - 1) % options.length }));
    case "down":
    case "right":
    case "tab":
      return stay(with_(ui, { choice: (asking.choice + 1) % options.length }));
    case "pageup":
      return stay(with_(ui, { scroll: Math.max(0, Math.min(asking.scroll, context.maxScroll) - SCROLL_LINES) }));
    case "pagedown":
      return stay(with_(ui, { scroll: Math.min(context.maxScroll, asking.scroll + SCROLL_LINES) }));
    case "enter":
      return answer(ui, asking, asking.choice);
    case "escape":
      return settle(ui, { type: "reply", id: asking.question.id, reply: { decision: "reject" } });
    default:
      return stay(ui);
  }
}

function answer(ui: Ui, asking: Asking, index: number): Handled {
  const option = questionOptions(asking.question)[index];
  if (!option) return stay(ui);
  if (option.reply === "say why") return stay(with_(ui, { choice: index, why: emptyEditor }));
  return settle(ui, { type: "reply", id: asking.question.id, reply: option.reply });
}

/** The line that tells the model why not. */
function whyKey(ui: Ui, asking: Asking, why: Editor, event: KeyEvent): Handled {
  const keep = (editor: Editor) => stay(with_(ui, { why: editor }));
  if (event.type === "text") return keep(insertText(why, event.text));
  if (event.type === "paste") return keep(insertText(why, cleanPaste(event.text).replace(/\s*\n\s*/g, " ")));
  if (event.name === "escape") return stay(with_(ui, { why: undefined }));
  if (event.name === "backspace" && !event.alt) return keep(deleteBackward(why));
  if (event.name !== "enter") return keep(editKey(why, event) ?? why);
  const message = why.text.trim();
  const reply: Reply = message === "" ? { decision: "reject" } : { decision: "reject", message };
  return settle(ui, { type: "reply", id: asking.question.id, reply });
}

function settle(ui: Ui, effect: Effect): Handled {
  return { ui, effects: [effect] };
}

function with_(ui: Ui, changes: Partial<Asking>): Ui {
  return ui.asking ? { ...ui, asking: { ...ui.asking, ...changes } } : ui;
}
