import { AnthropicVertex } from "@anthropic-ai/vertex-sdk";
import type { Endpoint } from "../endpoint.ts";
import { type ClaudeClient, countTokens, openStream, QUIET_OPTIONS } from "./client.ts";

type VertexOptions = Pick<Endpoint, "baseUrl" | "apiKey" | "headers" | "project"> & {
  readonly region: string;
  readonly fetch?: typeof fetch | undefined;
};
type AuthClient = NonNullable<NonNullable<ConstructorParameters<typeof AnthropicVertex>[0]>["authClient"]>;

/**
 * Uses a given token, or else Google's own chain: a credentials file, the login of the command line, the machine's
 * account.
 */
export function vertexClient({ baseUrl, apiKey, headers, project, region, fetch }: VertexOptions): ClaudeClient {
  const client = new AnthropicVertex({
    ...QUIET_OPTIONS,
    region,
    projectId: project ?? null,
    defaultHeaders: headers,
    ...(baseUrl && { baseURL: baseUrl.url }),
    ...(apiKey !== undefined && { authClient: tokenClient(apiKey) }),
    ...(fetch && { fetch }),
  });
  return { open: openStream(client), countTokens: countTokens(client) };
}

/** The only method that the SDK calls; its option for a plain token has no effect. */
function tokenClient(token: string): AuthClient {
  const getRequestHeaders = async () => new Headers({ authorization: `Bearer ${token}` });
  return { getRequestHeaders } as unknown as AuthClient;
}
