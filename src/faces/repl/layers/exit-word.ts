import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { parseSlash } from "../../../protocol/commands/slash-commands.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { Handled, Ui, UiContext } from "./ui-state.ts";

/** The words that leave when they are typed alone, as in a shell, and the names of the command that does the same. */
const EXIT_WORDS: ReadonlySet<string> = new Set(["exit", "quit"]);
/** The question stays for this time: a plain screen needs a whole line for the answer. */
const ASKED_MS = 10_000;
/** The columns of the status line that a hint leaves to the rest. */
const REST_COLUMNS = 14;

/** True if the draft is only a word that leaves. */
export function isExitWord(text: string): boolean {
  return EXIT_WORDS.has(text.trim());
}

/** Leaves, or asks first. */
export function leaveByWord(ui: Ui, context: UiContext): Handled {
  return askedToLeave(ui, ui.editor.text, context) ?? { ui, effects: [{ type: "leave" }] };
}

/**
 * Asks once before a word or a command that leaves ends or drops work. The text stays in the prompt, selected: Enter leaves,
 * the word typed again replaces itself, and so does any other text.
 * @returns undefined if the text does something else, if nothing would be lost, or if the person was asked before.
 */
export function askedToLeave(ui: Ui, text: string, context: UiContext): Handled | undefined {
  const { nowMs } = context;
  const leaves = isExitWord(text) || isExitWord(parseSlash(text)?.name.toLowerCase() ?? "");
  if (!leaves || nowMs <= ui.exitAskedUntil) return undefined;
  const says = lossHint("enter", ui, context);
  if (says === undefined) return undefined;
  const until = nowMs + ASKED_MS;
  const editor = { ...ui.editor, text, anchor: 0, cursor: text.length };
  const armed = { by: "enter", does: "leave", says, until } as const;
  // Enter must reach the prompt, not a list of commands.
  const completion = { index: 0, isDismissed: true };
  return { ui: { ...ui, editor, completion, showsKeys: false, exitAskedUntil: until, armed }, effects: [] };
}

/** Asks, or leaves if nothing would be lost: a word that leaves never waits for the next turn. */
export function neverQueued(ui: Ui, context: UiContext): Handled {
  return leaveByWord(withdrawn(ui), context);
}

/** The next key withdraws the agreement to leave, unless the key types the word once more. */
export function withoutAgreement(before: Ui, after: Handled, event: KeyEvent): Handled {
  const { editor, exitAskedUntil } = after.ui;
  const isUnsettled = exitAskedUntil > Number.NEGATIVE_INFINITY && exitAskedUntil === before.exitAskedUntil;
  const isTypedAgain = event.type === "text" && beginsExit(editor.text);
  return isUnsettled && !isTypedAgain ? { ...after, ui: withdrawn(after.ui) } : after;
}

function beginsExit(text: string): boolean {
  return [...EXIT_WORDS].some((word) => word.startsWith(text) || `/${word}`.startsWith(text));
}

function withdrawn(ui: Ui): Ui {
  return { ...ui, exitAskedUntil: Number.NEGATIVE_INFINITY };
}

/**
 * Names what leaving by a second press of a key would end or drop, as far as the status line has room.
 * @returns undefined if nothing would be lost.
 */
export function lossHint(key: string, ui: Ui, context: UiContext): string | undefined {
  const losses = lossesOf(ui, context);
  if (losses.length === 0) return undefined;
  const shortest = `${key} again leaves`;
  const forms = [`${key} again ${losses.join(", ")}, and leaves`, `${shortest}, and loses work`];
  // The status line drops a hint that leaves no room for the rest.
  return forms.find((one) => textWidth(one) + REST_COLUMNS <= context.columns) ?? shortest;
}

/** The effects of leaving now; none if the session continues without this screen. A turn that is being stopped is no loss. */
function lossesOf(ui: Ui, context: UiContext): readonly string[] {
  const { isBusy, isStopping, isOperating, isShell, isDetachable, tasks = [] } = context;
  if (isDetachable) return [];
  const open = tasks.filter(({ info, endedAt }) => endedAt === undefined && info.isBackground && !info.isKept).length;
  const waiting = ui.queue.length + ui.unlisted;
  const ended = [
    isOperating ? "a command" : isBusy && !isStopping ? (isShell ? "your command" : "the turn") : "",
    open > 0 ? plural(open, "task") : "",
  ];
  const dropped = [waiting > 0 ? plural(waiting, "input") : "", ui.stash === undefined ? "" : "the stashed draft"];
  return [effect("ends", ended), effect("drops", dropped)].filter((one) => one !== "");
}

/** `ends the turn and 2 tasks` */
function effect(verb: string, objects: readonly string[]): string {
  const named = objects.filter((one) => one !== "");
  return named.length === 0 ? "" : `${verb} ${named.join(" and ")}`;
}
