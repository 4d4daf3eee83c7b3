/** One limit of a provider, as reported in its newest answer. */
export type RateLimit = {
  /** The name of the limit: `5h`, `7d`, `requests`, `input tokens`. */
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
  /** The time of the report, in milliseconds since 1970. */
  readonly at: number;
  readonly limits: readonly RateLimit[];
};
