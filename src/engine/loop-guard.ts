import type { ToolResultBlock, ToolUseBlock } from "../contracts/message.ts";

/** The number of identical calls in a row, with the same result, that counts as a loop. The same limit holds for two alternating calls. */
const REPEATS = 5;
const LONGEST_CYCLE = 2;

/** Detects a model that repeats itself: one call or two alternating calls with the same results. */
export class LoopGuard {
  #recent: string[] = [];

  /**
   * Adds the calls of one answer and their results, in order.
   * @returns true if they complete a loop; counting then restarts.
   */
  note(uses: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): boolean {
    for (const use of uses) {
      const result = results.find(({ toolUseId }) => toolUseId === use.id);
      this.#recent.push(JSON.stringify([use.name, use.input, result?.content, result?.isError]));
    }
    this.#recent = this.#recent.slice(-REPEATS * LONGEST_CYCLE);
    if (!this.#isLoop(1) && !this.#isLoop(LONGEST_CYCLE)) return false;
    this.#recent = [];
    return true;
  }

  #isLoop(period: number): boolean {
    const length = REPEATS * period;
    const last = this.#recent.slice(-length);
    return last.length === length && last.every((call, at) => call === last[at % period]);
  }
}
