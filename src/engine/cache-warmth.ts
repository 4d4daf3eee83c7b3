import type { Clock } from "../contracts/ports.ts";
import type { RestoredSession } from "../contracts/session.ts";

/** How long a provider keeps the prefix of a request by default. */
export const CACHE_TTL_MS = 300_000;

/**
 * How long the provider of the chosen model keeps a prompt in its cache, in milliseconds; if undefined, `CACHE_TTL_MS`.
 */
export type CacheTtl = () => number | undefined;

export type LastRequest = {
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  /** How long the provider that got the request keeps its prefix; undefined if another process sent the request. */
  readonly ttlMs?: number;
  /** The model of the request; undefined if another process sent the request. */
  readonly model: string | undefined;
};

/** Tells whether a provider still has the prefix of the conversation in its prompt cache. */
export class CacheWarmth {
  readonly #clock: Clock;
  readonly #ttlMs: CacheTtl | undefined;
  #last: LastRequest | undefined;

  /** @param last The last request of an earlier process, for a resumed conversation. */
  constructor(clock: Clock, ttlMs: CacheTtl | undefined, last: LastRequest | undefined) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#last = last;
  }

  /** Call this when a request is sent: the server then caches its prefix. */
  note(model: string): void {
    this.#last = { sentAt: this.#clock.now(), ttlMs: this.#ttlMs?.() ?? CACHE_TTL_MS, model };
  }

  /** When the provider drops the newest request's prefix, in milliseconds since the epoch; undefined before a request. */
  expiresAt(): number | undefined {
    const last = this.#last;
    return last && last.sentAt + (last.ttlMs ?? this.#ttlMs?.() ?? CACHE_TTL_MS);
  }

  /**
   * True if the next request pays for its whole input in any case. False before the first request, because no cache can
   * be lost yet.
   */
  isCold(model: string): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    const ttlMs = last.ttlMs ?? this.#ttlMs?.() ?? CACHE_TTL_MS;
    return (last.model !== undefined && last.model !== model) || this.#clock.now() - last.sentAt > ttlMs;
  }
}

/** The newest request of a saved conversation; undefined if there was no request. */
export function lastRequestOf(restored: Pick<RestoredSession, "entries"> | undefined): LastRequest | undefined {
  const last = restored?.entries.findLast(({ kind }) => kind === "assistant");
  return last && { sentAt: Date.parse(last.time), model: undefined };
}
