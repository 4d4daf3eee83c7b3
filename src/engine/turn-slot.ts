type Current = { readonly abort: AbortController; readonly ended: PromiseWithResolvers<void> };

/** Ensures that an agent runs one turn or one other operation at a time. */
export class TurnSlot {
  readonly #rested: () => void;
  #current: Current | undefined;
  #isClosed = false;

  /** @param rested Called after each turn or operation. */
  constructor(rested: () => void) {
    this.#rested = rested;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws {Error} a turn or operation already runs, or the agent is closed. */
  begin(): AbortSignal {
    this.assertOpen();
    if (this.#current) throw new Error("A turn is already running.");
    this.#current = { abort: new AbortController(), ended: Promise.withResolvers() };
    return this.#current.abort.signal;
  }

  end(): void {
    this.#current?.ended.resolve();
    this.#current = undefined;
    this.#rested();
  }

  /** Runs an operation that excludes turns and ends on `abort`. */
  async operate<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const signal = this.begin();
    try {
      return await work(signal);
    } finally {
      this.end();
    }
  }

  abort(reason: Error): void {
    this.#current?.abort.abort(reason);
  }

  /** Waits until nothing runs, at most `ms` milliseconds. */
  async settled(ms: number): Promise<void> {
    if (!this.#current) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, ms);
    await Promise.race([this.#current.ended.promise, late.promise]);
    clearTimeout(timer);
  }

  /** Prevents any new turn or operation. */
  close(): void {
    this.#isClosed = true;
  }

  assertOpen(): void {
    if (this.#isClosed) throw new Error("The agent is closed.");
  }
}
