/** A batch has spent its limit, is waiting for what running agents leave over, or may start an agent with this much. */
export type Hold = "over" | "wait" | number;

/**
 * The budget of a batch. Each agent gets a share of the free budget before it starts, so that parallel agents together
 * can't exceed the limit; the unused part is returned.
 */
export class BatchBudget {
  readonly #limit: number;
  readonly #parallel: number;
  #spent: number;
  #held = 0;
  #running = 0;
  /** The spending of the ended agents, from which the next share is estimated. */
  #ended = { count: 0, sum: 0 };
  /** The largest share that did not cover a first request. */
  #tooSmall = 0;

  /** @param limit The limit in one unit, US dollars or tokens. @param spent The amount that earlier runs spent. */
  constructor(limit: number, spent: number, parallel: number) {
    this.#limit = limit;
    this.#spent = spent;
    this.#parallel = parallel;
  }

  /** Reserves the share of one agent. */
  take(): Hold {
    const free = this.#limit - this.#spent - this.#held;
    const share = free / Math.max(1, this.#parallel - this.#running);
    const wanted = Math.max(share, this.#usual, this.#tooSmall * 2);
    if (free <= 0 || free < wanted) {
      if (this.#running > 0) return "wait";
      if (free <= 0 || free <= this.#tooSmall || free < this.#usual) return "over";
    }
    const hold = Math.min(wanted, free);
    this.#held += hold;
    this.#running += 1;
    return hold;
  }

  /** Adds the agent's spending, and frees the rest of its share. */
  settle(hold: number, spent: number): void {
    this.#held -= hold;
    this.#running -= 1;
    this.#spent += spent;
    this.#ended = { count: this.#ended.count + 1, sum: this.#ended.sum + spent };
  }

  /** Called if the share did not cover the first request: no money was spent. */
  refuse(hold: number): void {
    this.#held -= hold;
    this.#running -= 1;
    this.#tooSmall = Math.max(this.#tooSmall, hold);
  }

  get #usual(): number {
    const { count, sum } = this.#ended;
    return count === 0 ? 0 : sum / count;
  }
}
