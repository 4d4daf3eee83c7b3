import type { Clock } from "../../../contracts/ports.ts";
import { SPINNER_MS } from "../view/theme.ts";

/** Shortest time between two frames for changes other than keys and text. Each frame costs 3–6 ms. */
export const FRAME_MS = 100;
/** Shortest time between two frames of text that streams. */
export const TEXT_MS = 150;
/** The same while only a few words have come, which nobody reads faster: a third of the bytes of a slow stream places the cursor. */
export const SLOW_TEXT_MS = 250;
const FEW_CHARS = 30;

/** Over a slow line, writing takes at most this share of the time, so that a key is read soon enough. */
const WRITING_SHARE = 0.25;
/** The maximum time between two frames over a slow line. */
const MAX_FRAME_MS = 1_000;

/**
 * Decides when to draw: at once for a key, after a while for changes and text that streams, at each step of the spinner or each
 * second while something runs, and otherwise never. Over a slow line there are fewer frames; those for keys are not delayed.
 */
export class FramePacer {
  readonly #clock: Clock;
  readonly #ended: AbortSignal;
  readonly #draw: () => void;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isNowQueued = false;
  /** When the next frame is due for a change; undefined: nothing has changed since the last frame. */
  #dueAt: number | undefined;
  /** When the timer for it ends. */
  #timerEndsAt: number | undefined;
  /** Characters of text that no frame shows yet. */
  #chars = 0;
  #isLaterSet = false;
  #tickMs: number | undefined;
  readonly #writeMs: () => number;
  #ticking: AbortController | undefined;

  /** @param writeMs How long a write to the terminal currently takes. */
  constructor(clock: Clock, ended: AbortSignal, draw: () => void, writeMs: () => number = () => 0) {
    this.#writeMs = writeMs;
    this.#clock = clock;
    this.#ended = ended;
    this.#draw = draw;
  }

  /** @param ms The time between two frames over a fast line. */
  #interval(ms: number): number {
    return Math.max(ms, Math.min(MAX_FRAME_MS, this.#writeMs() / WRITING_SHARE));
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
    this.#within(FRAME_MS);
  }

  /** Draws text that streams, together with what comes until then. @param chars The length of its new part. */
  text(chars: number): void {
    this.#chars += chars;
    this.#within(this.#chars > FEW_CHARS ? TEXT_MS : SLOW_TEXT_MS);
  }

  #within(ms: number): void {
    const dueAt = this.#drawnAt + this.#interval(ms);
    this.#dueAt = Math.min(this.#dueAt ?? dueAt, dueAt);
    const isTimed = this.#timerEndsAt !== undefined && this.#timerEndsAt <= this.#dueAt;
    if (!isTimed && !this.#isNowQueued) this.#setTimer(this.#dueAt);
  }

  /** Draws at a time of the monotonic clock, never earlier: a timer may fire slightly too early. */
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

  /** Redraws `ms` milliseconds after each frame; if undefined, only when something changes. */
  tickEvery(ms: number | undefined): void {
    if (this.#tickMs === ms || this.#ended.aborted) return;
    this.#ticking?.abort();
    this.#tickMs = ms;
    this.#ticking = ms === undefined ? undefined : new AbortController();
    if (ms !== undefined && this.#ticking) this.#tick(ms, AbortSignal.any([this.#ticking.signal, this.#ended]));
  }

  /** A frame in between puts the timer off, and a change that is due earlier replaces it. */
  #setTimer(endsAt: number): void {
    this.#timerEndsAt = endsAt;
    this.#after(Math.max(0, endsAt - this.#clock.monotonicMs()), this.#ended, () => {
      if (this.#timerEndsAt !== endsAt) return;
      this.#timerEndsAt = undefined;
      if (this.#dueAt === undefined) return;
      if (this.#clock.monotonicMs() < this.#dueAt) this.#setTimer(this.#dueAt);
      else this.#frame();
    });
  }

  /** A frame for another reason shows the clock too, and puts the next one off. */
  #tick(ms: number, signal: AbortSignal, waitMs: number = this.#interval(ms)): void {
    this.#after(waitMs, signal, () => {
      const restMs = this.#drawnAt + this.#interval(ms) - this.#clock.monotonicMs();
      if (restMs > 0) return this.#tick(ms, signal, restMs);
      this.#frame();
      this.#tick(ms, signal);
    });
  }

  #after(ms: number, signal: AbortSignal, then: () => void): void {
    this.#clock.sleep(ms, signal).then(then, () => undefined);
  }

  #frame(): void {
    if (this.#ended.aborted) return;
    this.#dueAt = undefined;
    this.#chars = 0;
    this.#drawnAt = this.#clock.monotonicMs();
    this.#draw();
  }
}
