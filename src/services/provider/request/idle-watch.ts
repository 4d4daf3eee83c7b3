import type { Clock } from "../../../contracts/ports.ts";

const IDLE_NOTED_MS = 30_000;
const IDLE_ABORTED_MS = 90_000;
const FIRST_EVENT_MS = 120_000;
/** A server on this machine may need time to load a model. */
const FIRST_EVENT_LOOPBACK_MS = 600_000;

/**
 * A server that thinks may send nothing but keep-alives for minutes; a gateway whose server has gone sends them for ever.
 */
const KEEP_ALIVE_MS = 600_000;
const KEEP_ALIVE_NOTED_MS = 120_000;
/** The limit for keep-alives as a multiple of a silence from the settings. */
const KEEP_ALIVE_FACTOR = 3;

/** Allowed silence of a stream, in milliseconds. */
export type Patience = {
  /** Before the first event. */
  readonly firstMs: number;
  /** Between two events. */
  readonly idleMs: number;
  /** The silence after which the person gets a notice; less than `idleMs`. */
  readonly notedMs: number;
  /** Between two events with content, while others arrive. */
  readonly keepAliveMs: number;
  /** The time without content after which the person gets a notice; less than `keepAliveMs`. */
  readonly keepAliveNotedMs: number;
};

/** @param idleMs The limit between two events from the settings; a longer limit also applies to the first event. */
export function patienceWith({ isLoopback }: { readonly isLoopback: boolean }, idleMs?: number): Patience {
  const silenceMs = idleMs ?? IDLE_ABORTED_MS;
  const firstMs = Math.max(isLoopback ? FIRST_EVENT_LOOPBACK_MS : FIRST_EVENT_MS, silenceMs);
  const keepAliveMs = idleMs === undefined ? KEEP_ALIVE_MS : idleMs * KEEP_ALIVE_FACTOR;
  return {
    firstMs,
    idleMs: silenceMs,
    notedMs: Math.min(IDLE_NOTED_MS, Math.ceil(silenceMs / 3)),
    keepAliveMs,
    keepAliveNotedMs: Math.min(KEEP_ALIVE_NOTED_MS, Math.ceil(keepAliveMs / 3)),
  };
}

/** `silence`: nothing arrived; `keep-alives`: nothing with content arrived. */
export type Idleness = "silence" | "keep-alives";

type IdleListener = {
  /** Called once for each silence, and once for each time without content, that lasts. */
  onNoted(what: Idleness): void;
  /** Called once when the stream has been idle for too long; the watch then ends. */
  onExpired(what: Idleness, idleMs: number): void;
};

/** One kind of idleness, with its limits. */
type Look = { readonly what: Idleness; readonly idleMs: number; readonly notedMs: number; readonly limitMs: number };

/**
 * Watches a stream with one timer. When it fires, it checks the time of the last event, so an event costs no timer. The
 * watch ends on expiry; aborting `signal` ends it earlier and clears the timer.
 */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #patience: Patience;
  #lastMs: number;
  #contentMs: number;
  #hasEvent = false;
  /** The kinds of idleness that were told and still last. */
  readonly #noted: { silence: boolean; "keep-alives": boolean } = { silence: false, "keep-alives": false };

  constructor(clock: Clock, patience: Patience) {
    this.#clock = clock;
    this.#patience = patience;
    this.#lastMs = clock.monotonicMs();
    this.#contentMs = this.#lastMs;
  }

  /** Bytes or an event arrived. @param hasContent False for a keep-alive. */
  touch(hasContent = false): void {
    this.#lastMs = this.#clock.monotonicMs();
    this.#noted.silence = false;
    this.#hasEvent = true;
    if (!hasContent) return;
    this.#contentMs = this.#lastMs;
    this.#noted["keep-alives"] = false;
  }

  async run(listener: IdleListener, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const looks = this.#looks();
      const expired = looks.find(({ idleMs, limitMs }) => idleMs >= limitMs);
      if (expired) return listener.onExpired(expired.what, expired.idleMs);
      for (const { what, idleMs, notedMs } of looks) {
        if (!this.#hasEvent || idleMs < notedMs || this.#noted[what]) continue;
        this.#noted[what] = true;
        listener.onNoted(what);
      }
      try {
        await this.#clock.sleep(Math.max(1, Math.min(...looks.map(msToNext))), signal);
      } catch {
        return;
      }
    }
  }

  #looks(): readonly Look[] {
    const { firstMs, idleMs, notedMs, keepAliveMs, keepAliveNotedMs } = this.#patience;
    const nowMs = this.#clock.monotonicMs();
    const silence: Look = {
      what: "silence",
      idleMs: nowMs - this.#lastMs,
      notedMs,
      limitMs: this.#hasEvent ? idleMs : firstMs,
    };
    // A silence is also a time without content, and is told as what it is.
    if (!this.#hasEvent || this.#lastMs === this.#contentMs) return [silence];
    const barrenMs = nowMs - this.#contentMs;
    return [silence, { what: "keep-alives", idleMs: barrenMs, notedMs: keepAliveNotedMs, limitMs: keepAliveMs }];
  }
}

function msToNext({ idleMs, notedMs, limitMs }: Look): number {
  return Math.min(limitMs - idleMs, idleMs >= notedMs ? notedMs : notedMs - idleMs);
}
