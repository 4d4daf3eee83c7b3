import type { Clock } from "../../../contracts/ports.ts";

export const IDLE_NOTED_MS = 30_000;
export const IDLE_ABORTED_MS = 90_000;
export const FIRST_EVENT_MS = 120_000;
/** A server on this machine may load a model first. */
export const FIRST_EVENT_LOOPBACK_MS = 600_000;

type IdleListener = {
  /** The stream has been silent for `IDLE_NOTED_MS`; told once for each silence. */
  onNoted(): void;
  /** It has been silent for too long; told once, and the watch is over. */
  onExpired(silentMs: number): void;
};

/**
 * Watches a stream with one timer: it looks at the time of the last event when it wakes, so an event costs no timer.
 * Ends by itself when it expired; aborting `signal` ends it before, and clears its timer.
 */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #firstEventMs: number;
  #lastMs: number;
  #hasEvent = false;
  #isNoted = false;

  constructor(clock: Clock, firstEventMs: number) {
    this.#clock = clock;
    this.#firstEventMs = firstEventMs;
    this.#lastMs = clock.monotonicMs();
  }

  /** An event came. */
  touch(): void {
    this.#lastMs = this.#clock.monotonicMs();
    this.#isNoted = false;
    this.#hasEvent = true;
  }

  async run(listener: IdleListener, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const silentMs = this.#clock.monotonicMs() - this.#lastMs;
      const limitMs = this.#hasEvent ? IDLE_ABORTED_MS : this.#firstEventMs;
      if (silentMs >= limitMs) return listener.onExpired(silentMs);
      const isNotable = this.#hasEvent && silentMs >= IDLE_NOTED_MS;
      if (isNotable && !this.#isNoted) {
        this.#isNoted = true;
        listener.onNoted();
      }
      const toNoteMs = silentMs >= IDLE_NOTED_MS ? IDLE_NOTED_MS : IDLE_NOTED_MS - silentMs;
      try {
        await this.#clock.sleep(Math.max(1, Math.min(toNoteMs, limitMs - silentMs)), signal);
      } catch {
        return;
      }
    }
  }
}
