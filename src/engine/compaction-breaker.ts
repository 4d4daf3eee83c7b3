/** Failures in a row after which a conversation is no longer summed up on its own. */
const MAX_FAILURES = 3;

/** Holds automatic compaction back: after several failures in a row, and after the person undid one. */
export class CompactionBreaker {
  #failures = 0;
  #isHeld = false;

  /** No summary is asked for unless the person wants one. */
  get isOpen(): boolean {
    return this.#failures >= MAX_FAILURES;
  }

  /** The person undid a compaction: the next one waits as long as it can. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  hold(): void {
    this.#isHeld = true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isHeld = false;
  }

  /** @returns one line for the person with the failure that opens it; undefined otherwise. */
  failed(): string | undefined {
    this.#failures += 1;
    if (this.#failures !== MAX_FAILURES) return undefined;
    return `Compaction failed ${MAX_FAILURES} times in a row and no longer runs on its own in this session; /compact tries again.`;
  }
}
