import type { Clock } from "../contracts/ports.ts";
import type { CacheWarmth } from "./cache-warmth.ts";

/** The compaction starts this long before the cache expires, or a tenth of the cache's lifetime if that is shorter. */
const LEAD_MS = 30_000;
const MOST_LEAD_SHARE = 0.1;

export type IdleCompactionDeps = {
  readonly clock: Clock;
  readonly cache: Pick<CacheWarmth, "expiresAt">;
  /** True if the conversation is large enough, and the cache still warm. */
  isDue(): boolean;
  /** Never rejects. */
  compact(): Promise<void>;
};

/**
 * Compacts a resting conversation shortly before the provider's cache expires, at most once a rest: the request for the
 * summary then still reads the conversation from the cache. It costs a request that nobody typed, so it is on only if
 * the person set `compaction.idle`.
 */
export class IdleCompaction {
  readonly #deps: IdleCompactionDeps;
  #waiting: AbortController | undefined;
  /** The end of the cache before which a compaction was tried. A rest follows each compaction, also a failed one. */
  #triedBefore: number | undefined;

  constructor(deps: IdleCompactionDeps) {
    this.#deps = deps;
  }

  /** Call this when the conversation comes to rest. */
  rest(): void {
    const { clock, cache } = this.#deps;
    const expiresAt = cache.expiresAt();
    this.stop();
    if (expiresAt === undefined || expiresAt === this.#triedBefore) return;
    const leftMs = expiresAt - clock.now();
    const waitMs = leftMs - Math.min(LEAD_MS, leftMs * MOST_LEAD_SHARE);
    if (waitMs <= 0) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    // An aborted wait is no fault.
    void this.#compactAfter(waitMs, waiting.signal).catch(() => undefined);
  }

  /** Call this when work begins, or the conversation is closed. */
  stop(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
  }

  async #compactAfter(waitMs: number, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(waitMs, signal);
    // The compaction itself begins work, which must not end it.
    this.#waiting = undefined;
    if (signal.aborted || !this.#deps.isDue()) return;
    this.#triedBefore = this.#deps.cache.expiresAt();
    await this.#deps.compact();
  }
}
