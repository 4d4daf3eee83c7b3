import type { ToolResultBlock, ToolUseBlock } from "../contracts/message.ts";

/** The same call with the same result, so often in a row, is a loop; and so is a pair of calls in turn. */
const REPEATS = 5;
const LONGEST_CYCLE = 2;

/** Sees that a model goes round in circles: the same calls with the same results, one alone or two in turn. */
export class LoopGuard {
  #recent: string[] = [];

  /**
   * Takes the calls of one answer and their results, in order.
   * @returns whether they complete a loop; the next one is counted from here.
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
