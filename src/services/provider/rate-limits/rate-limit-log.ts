import type { ProviderLimits } from "../../../contracts/rate-limits.ts";

const MAX_HEADERS = 60;
const MAX_VALUE_CHARS = 100;

type Told = { readonly at: number; readonly headers: ReadonlyMap<string, string> };

/**
 * The headers about limits in the newest answer of each provider. The headers are read when the limits are requested.
 */
export class RateLimitLog {
  readonly #reported = new Map<string, Told>();
  /** Milliseconds since 1970. */
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A `fetch` that keeps the headers of each answer, errors included. */
  noting(provider: string, fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
    const noting = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
      const response = await fetch(input, init);
      this.#note(provider, response.headers);
      return response;
    };
    return Object.assign(noting, { preconnect: fetch.preconnect });
  }

  /** Every provider that reported limits, newest last. */
  async list(): Promise<readonly ProviderLimits[]> {
    if (this.#reported.size === 0) return [];
    const { readRateLimits } = await import("./read-rate-limits.ts");
    return [...this.#reported].map(([provider, { at, headers }]) => ({
      provider,
      at,
      limits: readRateLimits(headers, at),
    }));
  }

  #note(provider: string, headers: Headers): void {
    const named = [...headers].filter(([name, { length }]) => name.includes("ratelimit-") && length <= MAX_VALUE_CHARS);
    if (named.length === 0) return;
    this.#reported.delete(provider);
    this.#reported.set(provider, { at: this.#now(), headers: new Map(named.slice(0, MAX_HEADERS)) });
  }
}
