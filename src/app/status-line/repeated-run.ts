import type { Clock } from "../../contracts/ports.ts";

/** Changes within this time cause one run. */
export const SETTLE_MS = 300;

type Parts = {
  readonly clock: Clock;
  /** One run. The run ends everything that it started before it settles, also when `signal` aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Milliseconds after which a run is repeated although nothing changed; undefined for never. */
  refreshMs(): number | undefined;
};

/** Runs again after changes: only one run at a time, and a change ends the previous run. */
export class RepeatedRun {
  readonly #parts: Parts;
  readonly #ended = new AbortController();
  #running: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;
  #isWaiting = false;
  #refresh: AbortController | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reports a change: runs again as soon as no further change follows. */
  changed(): void {
    if (this.#isWaiting || this.#ended.signal.aborted) return;
    this.#isWaiting = true;
    this.#after(SETTLE_MS, this.#ended.signal, () => {
      this.#isWaiting = false;
      void this.now();
    });
  }

  /** Runs without a delay, after ending the current run. */
  async now(): Promise<void> {
    const before = this.#running;
    const stop = new AbortController();
    const done = this.#runAfter(before, AbortSignal.any([stop.signal, this.#ended.signal]));
    this.#running = { stop, done };
    before?.stop.abort();
    await done;
  }

  /** Ends the current run; resolves when it has ended. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#running?.done;
  }

  async #runAfter(before: { readonly done: Promise<void> } | undefined, signal: AbortSignal): Promise<void> {
    this.#refresh?.abort();
    await before?.done;
    if (signal.aborted) return;
    await this.#parts.run(signal);
    const ms = this.#parts.refreshMs();
    if (signal.aborted || ms === undefined) return;
    const refresh = new AbortController();
    this.#refresh = refresh;
    this.#after(ms, AbortSignal.any([refresh.signal, this.#ended.signal]), () => void this.now());
  }

  #after(ms: number, signal: AbortSignal, then: () => void): void {
    this.#parts.clock.sleep(ms, signal).then(then, () => undefined);
  }
}
