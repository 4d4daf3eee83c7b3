import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { Handled, Ui, UiContext } from "./ui-state.ts";

/** The words that leave when they are typed alone, as in a shell. */
const EXIT_WORDS: ReadonlySet<string> = new Set(["exit", "quit"]);
/** The question stays for this time: a plain screen needs a whole line for the answer. */
const ASKED_MS = 10_000;

const AT_A_LOSS = "enter again leaves, and loses work";
const SHORTEST = "enter again leaves";
/** The columns of the status line that a hint leaves to the rest. */
const REST_COLUMNS = 14;

/** True if the draft is only a word that leaves. */
export function isExitWord(text: string): boolean {
  return EXIT_WORDS.has(text.trim());
}

/**
 * Leaves, or asks first if leaving would end or drop work. The word stays in the prompt, selected: Enter leaves, the
 * word typed again replaces itself, and so does any other text.
 */
export function leaveByWord(ui: Ui, context: UiContext): Handled {
  const { nowMs } = context;
  const losses = lossesOf(ui, context);
  if (losses.length === 0 || nowMs <= ui.exitAskedUntil) return { ui, effects: [{ type: "leave" }] };
  const until = nowMs + ASKED_MS;
  const whole = `enter again ${losses.join(", ")}, and leaves`;
  // The status line drops a hint that leaves no room for the rest.
  const says = [whole, AT_A_LOSS].find((one) => textWidth(one) + REST_COLUMNS <= context.columns) ?? SHORTEST;
  const editor = { ...ui.editor, anchor: 0, cursor: ui.editor.text.length };
  const armed = { by: "enter", does: "leave", says, until } as const;
  return { ui: { ...ui, editor, showsKeys: false, exitAskedUntil: until, armed }, effects: [] };
}

/** The effects of leaving now; none if the session continues without this screen. */
function lossesOf(ui: Ui, { isBusy, isOperating, isDetachable, tasks = [] }: UiContext): readonly string[] {
  if (isDetachable) return [];
  const open = tasks.filter(({ info, endedAt }) => endedAt === undefined && info.isBackground && !info.isKept).length;
  const waiting = ui.queue.length + ui.unlisted;
  const ended = [isOperating ? "a command" : isBusy ? "the turn" : "", open > 0 ? plural(open, "task") : ""];
  const dropped = [waiting > 0 ? plural(waiting, "input") : "", ui.stash === undefined ? "" : "the stashed draft"];
  return [effect("ends", ended), effect("drops", dropped)].filter((one) => one !== "");
}

/** `ends the turn and 2 tasks` */
function effect(verb: string, objects: readonly string[]): string {
  const named = objects.filter((one) => one !== "");
  return named.length === 0 ? "" : `${verb} ${named.join(" and ")}`;
}
