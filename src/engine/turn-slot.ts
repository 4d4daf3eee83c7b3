import type { QueuedWork } from "../contracts/engine.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { EngineEvent, QueueTime, TurnReport } from "../contracts/event.ts";

type Current = { readonly abort: AbortController; readonly ended: PromiseWithResolvers<void> };

type TurnSlotDeps = {
  /** Called after each turn or operation, before readers get its last event. */
  rested(): void;
  emit(event: EngineEvent): void;
  /** Starts the next waiting input, if there is one. */
  startNext(): void;
};

/**
 * Ensures that an agent runs one turn or one other operation at a time, and starts a waiting input after each of them.
 */
export class TurnSlot {
  readonly #deps: TurnSlotDeps;
  #current: Current | undefined;
  #isClosed = false;
  #isHeld = false;
  /** True after an input arrived while the turn was being stopped. */
  #goesOn = false;
  #isLed = false;

  constructor(deps: TurnSlotDeps) {
    this.#deps = deps;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** @throws {Error} a turn or operation already runs, or the agent is closed. */
  begin(): AbortSignal {
    this.assertOpen();
    if (this.#current) throw new Error("A turn is already running.");
    this.#current = { abort: new AbortController(), ended: Promise.withResolvers() };
    const { signal } = this.#current.abort;
    this.#deps.emit({ type: "busy_changed", busy: true, interrupted: false });
    return signal;
  }

  /**
   * Ends the turn or operation. The next waiting input starts, unless the person interrupted and has sent nothing since.
   * @param report The report of the turn; absent for an operation.
   */
  end({ interrupted, report }: { readonly interrupted: boolean; readonly report?: TurnReport }): void {
    const { rested, emit } = this.#deps;
    this.#current?.ended.resolve();
    this.#current = undefined;
    rested();
    this.#isHeld = interrupted;
    if (report) emit({ type: "turn_finished", report });
    const waits = this.#isHeld && !this.#goesOn;
    this.#goesOn = false;
    emit({ type: "busy_changed", busy: false, interrupted: waits });
    if (!waits) this.startNext();
  }

  /** Called while readers get the end of a turn: waiting inputs wait for the next input, as after an interrupt. */
  hold(): void {
    this.#isHeld = true;
  }

  /** An input was queued: it starts if nothing runs, and the person's also when a turn that is being stopped ends. */
  queued(when: QueueTime): void {
    if (when === "early") return;
    if (when !== "later") this.#goesOn ||= this.#current?.abort.signal.aborted === true;
    this.startNext();
  }

  /** Starts the next waiting input if nothing runs. */
  startNext(): void {
    if (!this.#current && !this.#isLed && !this.#isClosed) this.#deps.startNext();
  }

  /** Runs work that may begin turns; waiting inputs begin after it, also after an interrupted turn. */
  async lead(work: QueuedWork): Promise<void> {
    this.#isLed = true;
    try {
      const ended = await work.run();
      ended?.();
    } finally {
      this.#isLed = false;
      this.startNext();
    }
  }

  /** Runs an operation that excludes turns and ends on `abort`. */
  async operate<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const signal = this.begin();
    try {
      return await work(signal);
    } finally {
      this.end({ interrupted: signal.aborted });
    }
  }

  abort(reason: Error): void {
    this.#goesOn = false;
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

  /** @throws {UserFacingError} a turn or operation runs; `then` is what the person wanted to do. */
  assertRest(then: string): void {
    if (this.isBusy) throw new UserFacingError(`A turn is running: wait for it or press Esc, then ${then}.`);
  }

  assertOpen(): void {
    if (this.#isClosed) throw new Error("The agent is closed.");
  }
}
