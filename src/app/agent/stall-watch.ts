type StallWatchDeps = {
  /** The maximum silence, in milliseconds; 0 disables the alarm. */
  readonly limitMs: number;
  monotonicMs(): number;
  /** Called when the silence has reached its limit. */
  stalled(): void;
  /** Called at the first activity after the alarm. */
  revived(): void;
};

/** Notices when an agent shows no activity. Waiting for the person counts as activity. */
export class StallWatch {
  readonly #deps: StallWatchDeps;
  #lastAt: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStalled = false;
  #isWaiting = false;

  constructor(deps: StallWatchDeps) {
    this.#deps = deps;
    this.#lastAt = deps.monotonicMs();
    this.#checkIn(deps.limitMs);
  }

  /** @param isWaiting True if the agent now waits for the person. */
  noteLife(isWaiting: boolean): void {
    this.#lastAt = this.#deps.monotonicMs();
    this.#isWaiting = isWaiting;
    if (!this.#isStalled) return;
    this.#isStalled = false;
    this.#deps.revived();
    this.#checkIn(this.#deps.limitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #checkIn(ms: number): void {
    if (this.#deps.limitMs === 0) return;
    this.#timer = setTimeout(() => this.#check(), ms);
  }

  #check(): void {
    const { limitMs, monotonicMs, stalled } = this.#deps;
    const silentMs = this.#isWaiting ? 0 : monotonicMs() - this.#lastAt;
    if (silentMs < limitMs) {
      this.#checkIn(limitMs - silentMs);
      return;
    }
    this.#isStalled = true;
    stalled();
  }
}
