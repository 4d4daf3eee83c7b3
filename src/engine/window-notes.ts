import { type Message, textOf } from "../contracts/message.ts";
import type { WindowLimits } from "../contracts/window-limits.ts";
import { WINDOW_NOTE, windowNearlyFull } from "./system-reminders.ts";

/** The line with which a model asks for a compaction. */
const ASKED = /^[ \t]*\[compact\][ \t]*$/m;
/** The model is told so many rounds before the window is full, if that is earlier than the warning limit. */
const ROUNDS_AHEAD = 2;

export type WindowUse = {
  readonly usedTokens: number;
  /** Tokens that the next round adds, as the last rounds did. */
  readonly growthTokens: number;
  /** True if the harness compacts the conversation on its own. */
  readonly isAuto: boolean;
  /** True if the conversation is too large for one more round. */
  readonly isFull: boolean;
};

/** @returns words that tell the model how little is left of its window; undefined if enough is left. */
export function windowNote(
  { usedTokens, growthTokens, isAuto, isFull }: WindowUse,
  { warn, stop, usable }: WindowLimits,
): string | undefined {
  const isNear = usedTokens >= warn || usedTokens + ROUNDS_AHEAD * growthTokens >= stop;
  // A full window is compacted before the next request.
  if (!isNear || (isAuto && isFull)) return undefined;
  return windowNearlyFull(Math.max(0, usable - usedTokens), isAuto);
}

/** True if the message is such a note. */
export function isWindowNote({ content }: Message): boolean {
  return textOf(content).includes(WINDOW_NOTE);
}

/** True if the newest answer has the line that asks for a compaction. */
export function asksForCompaction(messages: readonly Message[]): boolean {
  const answer = messages.findLast(({ role }) => role === "assistant");
  return answer !== undefined && ASKED.test(textOf(answer.content));
}
