import type { Clock } from "../contracts/ports.ts";
import type { RestoredSession } from "../contracts/session.ts";

/** How long a provider keeps the prefix of a request, where nothing else is set. */
export const CACHE_TTL_MS = 300_000;

export type LastRequest = {
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  /** Undefined where another process sent it. */
  readonly model: string | undefined;
};

/** Tells whether a provider still has the prefix of the conversation in its prompt cache. */
export class CacheWarmth {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  #last: LastRequest | undefined;

  /** @param last Of an earlier process, for a resumed conversation. */
  constructor(clock: Clock, ttlMs: number | undefined, last: LastRequest | undefined) {
    this.#clock = clock;
    this.#ttlMs = ttlMs ?? CACHE_TTL_MS;
    this.#last = last;
  }

  /** A request is being sent: its prefix is cached from now on. */
  note(model: string): void {
    this.#last = { sentAt: this.#clock.now(), model };
  }

  /** True where the next request pays for its whole input anyway. False before the first one: there is nothing to lose. */
  isCold(model: string): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    return (last.model !== undefined && last.model !== model) || this.#clock.now() - last.sentAt > this.#ttlMs;
  }
}

/** The newest request of a saved conversation; undefined where nothing was said. */
export function lastRequestOf(restored: Pick<RestoredSession, "entries"> | undefined): LastRequest | undefined {
  const last = restored?.entries.findLast(({ kind }) => kind === "assistant");
  return last && { sentAt: Date.parse(last.time), model: undefined };
}
