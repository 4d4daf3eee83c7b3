import type { Clock } from "../../../contracts/ports.ts";

/** Terminals that answer at all do so within this time, even over a slow line. */
const EXPECTED_MS = 1_000;
/** The maximum wait when leaving, because a longer wait would be noticeable. */
const LAST_WAIT_MS = 60;

/**
 * Waits for the answer to a query of the terminal. If a program exits before the answer arrives, the shell takes the
 * answer as typed text.
 */
export class LateAnswer {
  readonly #clock: Clock;
  #askedAt: number | undefined;
  readonly #answer = Promise.withResolvers<void>();

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

  /** Resolves with the answer, or soon without one; undefined if no answer is pending. */
  wait(): Promise<void> | undefined {
    if (this.#askedAt === undefined || this.#clock.monotonicMs() - this.#askedAt > EXPECTED_MS) return undefined;
    const over = new AbortController();
    const limit = this.#clock.sleep(LAST_WAIT_MS, over.signal).catch(() => undefined);
    return Promise.race([this.#answer.promise, limit]).finally(() => over.abort());
  }
}
