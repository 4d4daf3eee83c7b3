import type { Clock } from "../../contracts/ports.ts";

const MAX_OPEN = 5;
const MAX_IN_WINDOW = 20;
const WINDOW_MS = 10 * 60_000;

/** Limits how many questions one server puts to a person at a time, and within ten minutes. */
export class QuestionLimit {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #open = 0;
  #asked: readonly number[] = [];

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** @returns undefined if there are too many questions; this one is then not asked. */
  async within<Reply>(ask: () => Promise<Reply>): Promise<Reply | undefined> {
    const now = this.#clock.monotonicMs();
    this.#asked = this.#asked.filter((at) => now - at < WINDOW_MS);
    if (this.#open >= MAX_OPEN || this.#asked.length >= MAX_IN_WINDOW) return undefined;
    this.#asked = [...this.#asked, now];
    this.#open += 1;
    try {
      return await ask();
    } finally {
      this.#open -= 1;
    }
  }
}
