import type { Clock } from "../../../contracts/ports.ts";

/** Terminals that answer at all do so within this time, even over a slow line. */
const EXPECTED_MS = 1_000;
/** The maximum wait when leaving, because a longer wait would be noticeable. */
const LAST_WAIT_MS = 60;
/** The maximum wait before rows are printed, whose colours can't be changed later. */
const FIRST_WAIT_MS = 150;

/** Waits for the answer to a query of the terminal. */
export class LateAnswer {
  readonly #clock: Clock;
  #askedAt: number | undefined;
  readonly #answer = Promise.withResolvers<void>();
  readonly #overtaken = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  asked(): void {
    this.#askedAt ??= this.#clock.monotonicMs();
  }

  answered(): void {
    this.#askedAt = undefined;
    this.#answer.resolve();
  }

  /** The terminal answered a later query. */
  overtaken(): void {
    this.#overtaken.resolve();
  }

  /**
   * Before the exit: if the answer arrives afterwards, the shell takes it as typed text.
   * @returns undefined if no answer is pending, else resolves with the answer, or soon without one.
   */
  wait(): Promise<void> | undefined {
    if (this.#askedAt === undefined || this.#clock.monotonicMs() - this.#askedAt > EXPECTED_MS) return undefined;
    return this.#within(LAST_WAIT_MS, this.#answer.promise);
  }

  /** Before rows are printed: resolves with the answer, when there will be none, or soon. */
  async waitFirst(): Promise<void> {
    if (this.#askedAt !== undefined)
      await this.#within(FIRST_WAIT_MS, Promise.race([this.#answer.promise, this.#overtaken.promise]));
  }

  #within(ms: number, answer: Promise<void>): Promise<void> {
    const over = new AbortController();
    const limit = this.#clock.sleep(ms, over.signal).catch(() => undefined);
    return Promise.race([answer, limit]).finally(() => over.abort());
  }
}
