import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ProviderRequest } from "../../../contracts/provider.ts";
import type { Quirks } from "./quirks.ts";

/** What the adapter must know of one vendor's protocol. */
export interface Wire {
  /** What is expected at the address, for messages: `Responses API`. */
  readonly api: string;
  readonly quirks: Quirks;
  /** Loads the vendor's package at the first call. */
  load(): Promise<(model: string, fetch: typeof globalThis.fetch) => LanguageModelV4>;
  /** What the vendor's package is told beside the call. */
  options(request: ProviderRequest): SharedV4ProviderOptions;
}
