import type { Clock } from "../../../contracts/ports.ts";
import { SPINNER_MS } from "../view/theme.ts";

/**
 * Shortest time between two frames while text streams. Each frame costs 3–6 ms and about 700 bytes
 * (tests/support/demo-repl.tsx, scene `pace`).
 */
export const FRAME_MS = 100;

/**
 * Decides when to draw: at once for a key, at most once per `FRAME_MS` for a stream, at each step of the spinner or each
 * second while something runs, and otherwise never.
 */
export class FramePacer {
  readonly #clock: Clock;
  readonly #ended: AbortSignal;
  readonly #draw: () => void;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isNowQueued = false;
  /** Something has changed since the last frame. */
  #isStale = false;
  #isTimerSet = false;
  #isLaterSet = false;
  #tickMs: number | undefined;
  #ticking: AbortController | undefined;

  constructor(clock: Clock, ended: AbortSignal, draw: () => void) {
    this.#clock = clock;
    this.#ended = ended;
    this.#draw = draw;
  }

  /** Draws at the end of the current tick. */
  now(): void {
    if (this.#isNowQueued) return;
    this.#isNowQueued = true;
    queueMicrotask(() => {
      this.#isNowQueued = false;
      this.#frame();
    });
  }

  /** Draws within the frame interval, together with all changes until then. */
  soon(): void {
    this.#isStale = true;
    if (!this.#isTimerSet && !this.#isNowQueued) this.#setTimer();
  }

  /** Draws at a time of the monotonic clock, never before it: a timer may wake a moment too early. */
  at(ms: number): void {
    const restMs = Math.max(0, ms - this.#clock.monotonicMs());
    this.#after(restMs, this.#ended, () => (this.#clock.monotonicMs() < ms ? this.at(ms) : this.#frame()));
  }

  /** Draws within a step of the spinner: for changes that nobody waits for. */
  later(): void {
    if (this.#isLaterSet || this.#tickMs === SPINNER_MS) return;
    this.#isLaterSet = true;
    this.#after(SPINNER_MS, this.#ended, () => {
      this.#isLaterSet = false;
      this.#frame();
    });
  }

  /** Draws again and again after `ms`; undefined: only when something changes. */
  tickEvery(ms: number | undefined): void {
    if (this.#tickMs === ms || this.#ended.aborted) return;
    this.#ticking?.abort();
    this.#tickMs = ms;
    this.#ticking = ms === undefined ? undefined : new AbortController();
    if (ms !== undefined && this.#ticking) this.#tick(ms, AbortSignal.any([this.#ticking.signal, this.#ended]));
  }

  /** There is one timer: a frame in between postpones it. */
  #setTimer(): void {
    this.#isTimerSet = true;
    const wait = Math.max(0, this.#drawnAt + FRAME_MS - this.#clock.monotonicMs());
    this.#after(wait, this.#ended, () => {
      this.#isTimerSet = false;
      if (!this.#isStale) return;
      if (this.#clock.monotonicMs() < this.#drawnAt + FRAME_MS) this.#setTimer();
      else this.#frame();
    });
  }

  #tick(ms: number, signal: AbortSignal): void {
    this.#after(ms, signal, () => {
      this.#frame();
      this.#tick(ms, signal);
    });
  }

  #after(ms: number, signal: AbortSignal, then: () => void): void {
    this.#clock.sleep(ms, signal).then(then, () => undefined);
  }

  #frame(): void {
    if (this.#ended.aborted) return;
    this.#isStale = false;
    this.#drawnAt = this.#clock.monotonicMs();
    this.#draw();
  }
}
