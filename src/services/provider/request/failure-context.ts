/** The facts for error messages. */
export type FailureContext = {
  readonly model: string;
  /** Host and port. */
  readonly host: string;
  /** The address of requests, with its path. */
  readonly endpoint: string;
  /** The API that is expected at this address: `Messages API`. */
  readonly api: string;
  /** The source of the address: `ANTHROPIC_BASE_URL`. */
  readonly addressFrom: string;
  /** The source of the key: `ANTHROPIC_API_KEY`. */
  readonly keyVariable: string;
  /** The request carries no key, neither as a key nor in a header. */
  readonly isKeyless?: boolean;
  /** Never shown. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
  /** Asks the server for its list: the model that a name resembles, as `provider/model`. Never rejects. */
  readonly nearestModel?: ((model: string) => Promise<string | undefined>) | undefined;
  /** The estimated input tokens of the request. */
  readonly sentTokens?: number;
  /** The proxy for requests to this host, without its password. */
  readonly proxy?: { readonly host: string; readonly variable: string } | undefined;
};
