import type { EndpointQuirks } from "../../../contracts/provider-settings.ts";

/** How an endpoint differs from its API, with all fields set. */
export type Quirks = { readonly [Key in keyof EndpointQuirks]-?: NonNullable<EndpointQuirks[Key]> };

/** Source: OpenAI's API reference: call ids have at most 64 characters in Responses, 40 in Chat Completions. */
const MAX_ID_CHARS = 40;

export const NO_QUIRKS: Quirks = {
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
