import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ImageMediaType } from "../../../contracts/message.ts";
import type { ModelCapabilities, ProviderRequest } from "../../../contracts/provider.ts";
import type { Quirks } from "./quirks.ts";

/** Where requests go, and with what. */
export type WireAccess = {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

/** Makes the vendor's model for one request. */
export type OpenModel = (
  request: ProviderRequest,
  fetch: typeof globalThis.fetch,
  capabilities: ModelCapabilities,
) => LanguageModelV4;

/** What the adapter must know of one vendor's protocol. */
export interface Wire {
  /** What is expected at the address, for messages: `Responses API`. */
  readonly api: string;
  /** The path of a request below the address, for messages. */
  readonly path: string;
  readonly quirks: Quirks;
  /** Makes what the vendor's package reads of the events of one answer; undefined where that is what comes. */
  repair?(): (events: string) => string;
  /** Kinds of pictures that it takes; undefined: all that there are. */
  readonly imageTypes?: ReadonlySet<ImageMediaType>;
  /** Loads the vendor's package. */
  load(access: WireAccess): Promise<OpenModel>;
  /** What the vendor's package is told beside the call itself. */
  options(request: ProviderRequest, capabilities: ModelCapabilities): SharedV4ProviderOptions;
  /**
   * A simpler wire for a server that refused a request for what it does not know.
   * @param words the refusal. @returns undefined when they are about something else.
   */
  simpler(words: string): Wire | undefined;
}
