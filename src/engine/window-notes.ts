import { type Message, textOf } from "../contracts/message.ts";
import type { WindowLimits } from "../contracts/window-limits.ts";
import { windowNearlyFull } from "./system-reminders.ts";

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

/**
 * Tells the model once that little is left of its window, each time that the conversation grows past the warning limit, and sees
 * whether the model then asks for a compaction.
 */
export class WindowNotes {
  #isTold = false;

  /** @returns words for the model; undefined where there is nothing new to tell. */
  take(
    { usedTokens, growthTokens, isAuto, isFull }: WindowUse,
    { warn, stop, usable }: WindowLimits,
  ): string | undefined {
    const isNear = usedTokens >= warn || usedTokens + ROUNDS_AHEAD * growthTokens >= stop;
    if (!isNear) this.#isTold = false;
    // A full window is compacted before the next request.
    if (!isNear || this.#isTold || (isAuto && isFull)) return undefined;
    this.#isTold = true;
    return windowNearlyFull(Math.max(0, usable - usedTokens), isAuto);
  }

  /** True once after a note: when the newest answer has the line that asks for a compaction. */
  takeRequest(messages: readonly Message[]): boolean {
    if (!this.#isTold) return false;
    const answer = messages.findLast(({ role }) => role === "assistant");
    if (answer === undefined || !ASKED.test(textOf(answer.content))) return false;
    this.#isTold = false;
    return true;
  }
}
