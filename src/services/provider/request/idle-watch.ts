import type { Clock } from "../../../contracts/ports.ts";

const IDLE_NOTED_MS = 30_000;
const IDLE_ABORTED_MS = 90_000;
const FIRST_EVENT_MS = 120_000;
/** A server on this machine may need time to load a model. */
const FIRST_EVENT_LOOPBACK_MS = 600_000;

/** Allowed silence of a stream, in milliseconds. */
export type Patience = {
  /** Before the first event. */
  readonly firstMs: number;
  /** Between two events. */
  readonly idleMs: number;
  /** The silence after which the person gets a notice; less than `idleMs`. */
  readonly notedMs: number;
};

/** @param idleMs The limit between two events from the settings; a longer limit also applies to the first event. */
export function patienceWith({ isLoopback }: { readonly isLoopback: boolean }, idleMs = IDLE_ABORTED_MS): Patience {
  const firstMs = Math.max(isLoopback ? FIRST_EVENT_LOOPBACK_MS : FIRST_EVENT_MS, idleMs);
  return { firstMs, idleMs, notedMs: Math.min(IDLE_NOTED_MS, Math.ceil(idleMs / 3)) };
}

type IdleListener = {
  /** The stream has been silent for `notedMs`; called once for each silence. */
  onNoted(): void;
  /** Called once when the stream has been silent for too long; the watch then ends. */
  onExpired(silentMs: number): void;
};

/**
 * Watches a stream with one timer. When it fires, it checks the time of the last event, so an event costs no timer. The
 * watch ends on expiry; aborting `signal` ends it earlier and clears the timer.
 */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #patience: Patience;
  #lastMs: number;
  #hasEvent = false;
  #isNoted = false;

  constructor(clock: Clock, patience: Patience) {
    this.#clock = clock;
    this.#patience = patience;
    this.#lastMs = clock.monotonicMs();
  }

  /** An event arrived. */
  touch(): void {
    this.#lastMs = this.#clock.monotonicMs();
    this.#isNoted = false;
    this.#hasEvent = true;
  }

  async run(listener: IdleListener, signal: AbortSignal): Promise<void> {
    const { firstMs, idleMs, notedMs } = this.#patience;
    while (!signal.aborted) {
      const silentMs = this.#clock.monotonicMs() - this.#lastMs;
      const limitMs = this.#hasEvent ? idleMs : firstMs;
      if (silentMs >= limitMs) return listener.onExpired(silentMs);
      const isNotable = this.#hasEvent && silentMs >= notedMs;
      if (isNotable && !this.#isNoted) {
        this.#isNoted = true;
        listener.onNoted();
      }
      const toNoteMs = silentMs >= notedMs ? notedMs : notedMs - silentMs;
      try {
        await this.#clock.sleep(Math.max(1, Math.min(toNoteMs, limitMs - silentMs)), signal);
      } catch {
        return;
      }
    }
  }
}
