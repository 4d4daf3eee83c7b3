import { type Message, textOf } from "../contracts/message.ts";
import type { WindowLimits } from "../contracts/window-limits.ts";
import { windowNearlyFull } from "./system-reminders.ts";

/** The line with which a model asks for a compaction. */
const ASKED = /^[ \t]*\[compact\][ \t]*$/m;

/**
 * Tells the model once that little is left of its window, each time that the conversation grows past the warning limit, and sees
 * whether the model then asks for a compaction.
 */
export class WindowNotes {
  #isTold = false;

  /** @returns words for the model; undefined where there is nothing new to tell. */
  take(usedTokens: number, { warn, compact, usable }: WindowLimits, isAuto: boolean): string | undefined {
    if (usedTokens < warn) this.#isTold = false;
    // Past `compact` there is room again before the next request.
    if (usedTokens < warn || this.#isTold || (isAuto && usedTokens >= compact)) return undefined;
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
