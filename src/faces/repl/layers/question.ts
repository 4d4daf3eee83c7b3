import { parseSlash } from "../../../protocol/commands/slash-commands.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import { keyName } from "../keymap/key-name.ts";
import { boundAction } from "../keymap/keymap.ts";
import { type Asking, isChoosing } from "./open-question.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** A question that arrives while a person types takes no key before a pause of this length. */
export const HOLD_MS = 1_000;
/** How long no key answers a question that directly follows another question: the key may be a repetition. */
export const GUARD_MS = 400;

/** True if a key may still be meant for the previous question, or for the editor. */
export function isGuarded({ asking }: Ui, { nowMs }: UiContext): boolean {
  return asking !== undefined && asking.typing === undefined && nowMs < asking.guardedUntil;
}

/** How long the status line says that a key came too early. */
const TOO_EARLY_MS = 2_000;
const TOO_EARLY = "too early: press it again";
/** The person does not press these for an answer. */
const NO_ANSWERS: ReadonlySet<string | undefined> = new Set(["wheelup", "wheeldown", "click"]);

export const COMMANDS_WAIT = "Commands wait for the answer.";

/** True for text that a question takes as words, or that may begin a command, which is no answer. */
export function beginsWords(text: string): boolean {
  return text.startsWith("/") || /\p{L}/u.test(text);
}

/** True for words that begin with a known command: the person meant no answer. */
export function namesCommand(words: string, { commands }: Pick<UiContext, "commands">): boolean {
  const typed = parseSlash(words)?.name.toLowerCase();
  return commands.some(({ name, aliases = [] }) => [name, ...aliases].some((one) => one.toLowerCase() === typed));
}

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
