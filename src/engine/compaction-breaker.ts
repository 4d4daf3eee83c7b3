/** The number of failures in a row after which Quoll writes no more automatic summaries of a conversation. */
const MAX_FAILURES = 3;

/** Stops automatic compaction after several failures in a row, and delays it after the person undid a compaction. */
export class CompactionBreaker {
  #failures = 0;
  #isHeld = false;
  #lacksRoom = false;

  /** True if only the person can start a summary. */
  get isOpen(): boolean {
    return this.#failures >= MAX_FAILURES;
  }

  /** True after the person undid a compaction: the next automatic compaction is delayed as long as possible. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** True after a request was not sent because the window was full, until room was made. */
  get lacksRoom(): boolean {
    return this.#lacksRoom;
  }

  noteFull(): void {
    this.#lacksRoom = true;
  }

  madeRoom(): void {
    this.#lacksRoom = false;
  }

  hold(): void {
    this.#isHeld = true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isHeld = false;
  }

  /** @returns one line for the person when this failure opens the breaker; undefined otherwise. */
  failed(): string | undefined {
    this.#failures += 1;
    if (this.#failures !== MAX_FAILURES) return undefined;
    return `Compaction failed ${MAX_FAILURES} times in a row and no longer runs on its own in this session; /compact tries again.`;
  }
}
