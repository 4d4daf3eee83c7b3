import { afterSleep } from "../../contracts/after-sleep.ts";
import type { Clock } from "../../contracts/ports.ts";

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
const MAX_ATTEMPTS = 5;
/** The duration after which a connection counts as healthy: its loss then starts a new series of attempts. */
const HEALTHY_MS = 60_000;

type ScheduleDeps = {
  readonly clock: Clock;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** Never rejects. @returns true if the server is connected, or must not be started. */
  reconnect(): Promise<boolean>;
};

/** Reconnects a lost server after 1, 2, 4 … seconds, at most 5 times. */
export class ReconnectSchedule {
  readonly #deps: ScheduleDeps;
  #attempts = 0;
  #connectedAt = 0;
  #waiting: AbortController | undefined;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
  }

  connected(): void {
    this.#connectedAt = this.#deps.clock.monotonicMs();
  }

  /** @returns true if the server will be reconnected. */
  lost(): boolean {
    if (this.#deps.clock.monotonicMs() - this.#connectedAt > HEALTHY_MS) this.#attempts = 0;
    return this.#next();
  }

  /** The person reconnects or disables the server: ends the wait and the series. */
  reset(): void {
    this.#attempts = 0;
    this.#waiting?.abort(new Error("It is not needed any more."));
  }

  #next(): boolean {
    if (this.#attempts >= MAX_ATTEMPTS || this.#deps.signal.aborted) return false;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** this.#attempts, MAX_DELAY_MS);
    this.#attempts += 1;
    this.#waiting?.abort(new Error("A newer wait replaces it."));
    const waiting = new AbortController();
    this.#waiting = waiting;
    afterSleep(this.#deps.clock.sleep(delayMs, AbortSignal.any([waiting.signal, this.#deps.signal])), () =>
      this.#try(),
    );
    return true;
  }

  async #try(): Promise<void> {
    if (!(await this.#deps.reconnect())) this.#next();
  }
}
