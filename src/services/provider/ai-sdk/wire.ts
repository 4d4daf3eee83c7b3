import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ImageMediaType } from "../../../contracts/message.ts";
import type { ModelCapabilities, ProviderRequest } from "../../../contracts/provider.ts";
import type { EndpointQuirks } from "../../../contracts/provider-settings.ts";
import type { StreamForm } from "../request/stream-form.ts";

/** The address and credentials of requests. */
export type WireAccess = {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

/** Creates the vendor's model for one request. */
export type OpenModel = (
  request: ProviderRequest,
  fetch: typeof globalThis.fetch,
  capabilities: ModelCapabilities,
) => LanguageModelV4;

/** The properties of one vendor's protocol. */
export interface Wire {
  /** The API that is expected at the address, for messages: `Responses API`. */
  readonly api: string;
  /** The path of a request below the address, for messages. */
  readonly path: string;
  readonly quirks: Quirks;
  /** The events of the API. */
  readonly form: StreamForm;
  /** Adapts the events of one answer for the vendor's package; undefined if they need no change. */
  repair?(): (events: string) => string;
  /** Supported image types; undefined: all. */
  readonly imageTypes?: ReadonlySet<ImageMediaType>;
  /** Loads the vendor's package. */
  load(access: WireAccess): Promise<OpenModel>;
  /** The vendor's options besides the call. */
  options(request: ProviderRequest, capabilities: ModelCapabilities): SharedV4ProviderOptions;
  /**
   * A simpler wire after a server rejected an unknown field.
   * @param words the refusal. @returns undefined if the refusal has another reason.
   */
  simpler(words: string): Wire | undefined;
}

/** How an endpoint differs from its API, with all fields set. */
export type Quirks = { readonly [Key in keyof EndpointQuirks]-?: NonNullable<EndpointQuirks[Key]> };

/** Source: OpenAI's API reference: call ids have at most 64 characters in Responses, 40 in Chat Completions. */
const MAX_ID_CHARS = 40;

const NO_QUIRKS: Quirks = {
  systemRole: true,
  parallelCalls: true,
  usageInStream: true,
  maxTokensField: "max_tokens",
  callIdChars: MAX_ID_CHARS,
  exactCallIds: false,
  effort: "reasoning_effort",
  thinkingTokens: "none",
  thinkingOff: {},
  reasoningBack: "never",
  reasoningDetails: false,
  thinkTags: false,
  userAfterTool: true,
  structuredOutput: "schema",
  imagesInResults: false,
  namesModel: false,
};

export function withQuirks(...layers: readonly (EndpointQuirks | undefined)[]): Quirks {
  return Object.assign({}, NO_QUIRKS, ...layers);
}
