import type { Clock } from "../../../contracts/ports.ts";
import { SPINNER_MS } from "../view/theme.ts";

/**
 * Shortest time between two frames while text streams. Each frame costs 3–6 ms and about 700 bytes
 * (tests/support/demo-repl.tsx, scene `pace`).
 */
export const FRAME_MS = 100;

/** Over a slow line, writing takes at most this share of the time; a key is then read soon enough. */
const WRITING_SHARE = 0.25;
/** Longest time between two frames over a slow line. */
const MAX_FRAME_MS = 1_000;

/**
 * Decides when to draw: at once for a key, at most once per `FRAME_MS` for a stream, at each step of the spinner or each
 * second while something runs, and otherwise never. Over a slow line there are fewer frames; those for keys are not delayed.
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
  readonly #writeMs: () => number;
  #ticking: AbortController | undefined;

  /** @param writeMs How long a write to the terminal takes now. */
  constructor(clock: Clock, ended: AbortSignal, draw: () => void, writeMs: () => number = () => 0) {
    this.#writeMs = writeMs;
    this.#clock = clock;
    this.#ended = ended;
    this.#draw = draw;
  }

  get #frameMs(): number {
    return Math.min(MAX_FRAME_MS, Math.max(FRAME_MS, this.#writeMs() / WRITING_SHARE));
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
    const wait = Math.max(0, this.#drawnAt + this.#frameMs - this.#clock.monotonicMs());
    this.#after(wait, this.#ended, () => {
      this.#isTimerSet = false;
      if (!this.#isStale) return;
      if (this.#clock.monotonicMs() < this.#drawnAt + this.#frameMs) this.#setTimer();
      else this.#frame();
    });
  }

  #tick(ms: number, signal: AbortSignal): void {
    this.#after(Math.max(ms, this.#frameMs), signal, () => {
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
