import type { Clock } from "../../../contracts/ports.ts";

/** Terminals that answer at all do so within this time, also over a slow line. */
const EXPECTED_MS = 1_000;
/** For leaving: longer would be felt. */
const LAST_WAIT_MS = 60;

/**
 * Waits for the answer to a question to the terminal. A program that leaves before the answer came would have the shell take
 * it as typed text.
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

  /** Resolves with the answer, or soon without it; undefined if there is nothing to wait for. */
  wait(): Promise<void> | undefined {
    if (this.#askedAt === undefined || this.#clock.monotonicMs() - this.#askedAt > EXPECTED_MS) return undefined;
    const over = new AbortController();
    const limit = this.#clock.sleep(LAST_WAIT_MS, over.signal).catch(() => undefined);
    return Promise.race([this.#answer.promise, limit]).finally(() => over.abort());
  }
}
