/** One limit of a provider, as its newest answer told it. */
export type RateLimit = {
  /** `5h`, `7d`, `requests`, `input tokens`. */
  readonly name: string;
  /** The used share, from 0 to 1. */
  readonly used?: number;
  readonly left?: number;
  readonly limit?: number;
  /** Milliseconds since 1970. */
  readonly resetsAt?: number;
};

export type ProviderLimits = {
  readonly provider: string;
  /** When they were told: milliseconds since 1970. */
  readonly at: number;
  readonly limits: readonly RateLimit[];
};
