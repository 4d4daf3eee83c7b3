/** What the lines of an error are made of. */
export type FailureContext = {
  readonly model: string;
  /** Host and port. */
  readonly host: string;
  /** Where requests go, with its path. */
  readonly endpoint: string;
  /** What is expected there: `Messages API`. */
  readonly api: string;
  /** What sets the address: `ANTHROPIC_BASE_URL`. */
  readonly addressFrom: string;
  /** What the key came from: `ANTHROPIC_API_KEY`. */
  readonly keyVariable: string;
  /** Never shown. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
  /** The proxy that requests to this host go through, without its password. */
  readonly proxy?: { readonly host: string; readonly variable: string } | undefined;
};
