import { type Message, textOf } from "../contracts/message.ts";
import type { WindowLimits } from "../contracts/window-limits.ts";
import { WINDOW_NOTE, windowNearlyFull } from "./system-reminders.ts";

/** The line with which a model asks for a compaction. */
const ASKED = /^[ \t]*\[compact\][ \t]*$/m;
const NOTE = new RegExp(`^About [\\d,]+ ${WINDOW_NOTE}`);
/** The model is warned this many steps before the window is full, if that is earlier than the warning limit. */
const STEPS_AHEAD = 2;

export type WindowUse = {
  readonly usedTokens: number;
  /** The tokens that the next step will probably add, based on recent steps. */
  readonly growthTokens: number;
  /** True if Quoll compacts the conversation automatically. */
  readonly isAuto: boolean;
  /** True if the conversation is too large for another step. */
  readonly isFull: boolean;
};

/** @returns a text that tells the model how little of its window is left; undefined if enough is left. */
export function windowNote(
  { usedTokens, growthTokens, isAuto, isFull }: WindowUse,
  { warn, stop, usable }: WindowLimits,
): string | undefined {
  const isNear = usedTokens >= warn || usedTokens + STEPS_AHEAD * growthTokens >= stop;
  // A full window is compacted before the next request.
  if (!isNear || (isAuto && isFull)) return undefined;
  return windowNearlyFull(Math.max(0, usable - usedTokens), isAuto);
}

/** True if the message is a note about the window, and nothing else. */
export function isWindowNote({ role, content }: Message): boolean {
  const [block] = content;
  return role === "user" && content.length === 1 && block?.type === "text" && NOTE.test(block.text);
}

/** The id of the newest answer if it contains the line that asks for a compaction. */
export function askingAnswer(messages: readonly Message[]): string | undefined {
  const answer = messages.findLast(({ role }) => role === "assistant");
  return answer !== undefined && ASKED.test(textOf(answer.content)) ? answer.id : undefined;
}
