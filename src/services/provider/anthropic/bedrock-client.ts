import { AnthropicBedrock } from "@anthropic-ai/bedrock-sdk";
import type { Endpoint } from "../endpoint.ts";
import { type ClaudeClient, openStream, QUIET_OPTIONS } from "./client.ts";

type BedrockOptions = Pick<Endpoint, "baseUrl" | "apiKey" | "headers"> & {
  readonly region: string;
  readonly fetch?: typeof fetch | undefined;
};

/** Uses its key, or else AWS's own chain: variables, profiles, roles. Bedrock cannot count tokens. */
export function bedrockClient({ baseUrl, apiKey, headers, region, fetch }: BedrockOptions): ClaudeClient {
  const client = new AnthropicBedrock({
    ...QUIET_OPTIONS,
    awsRegion: region,
    defaultHeaders: headers,
    ...(baseUrl && { baseURL: baseUrl.url }),
    ...(apiKey !== undefined && { apiKey }),
    ...(fetch && { fetch }),
  });
  return { open: openStream(client), countTokens: undefined };
}
