import type { ToolResultBlock, ToolUseBlock } from "../contracts/message.ts";

/** The same call with the same result, so often in a row, is a loop; and so is a pair of calls in turn. */
const REPEATS = 5;
const LONGEST_CYCLE = 2;

/** What is known of the calls of a turn: `told`: the model must be told that it repeats itself; `stop`: it was told before. */
export type LoopVerdict = "fine" | "told" | "stop";

/** Sees that a model goes round in circles: the same calls with the same results, one alone or two in turn. */
export class LoopGuard {
  #recent: string[] = [];
  #isTold = false;

  /** The calls of one answer and what came of them, in order. */
  note(uses: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): LoopVerdict {
    for (const use of uses) {
      const result = results.find(({ toolUseId }) => toolUseId === use.id);
      this.#recent.push(JSON.stringify([use.name, use.input, result?.content, result?.isError]));
    }
    this.#recent = this.#recent.slice(-REPEATS * LONGEST_CYCLE);
    if (!this.#isLoop(1) && !this.#isLoop(LONGEST_CYCLE)) return "fine";
    if (this.#isTold) return "stop";
    this.#isTold = true;
    this.#recent = [];
    return "told";
  }

  #isLoop(period: number): boolean {
    const length = REPEATS * period;
    const last = this.#recent.slice(-length);
    return last.length === length && last.every((call, at) => call === last[at % period]);
  }
}
