import type { Provider } from "../../../contracts/provider.ts";
import { cloudHost, GLOBAL_REGION } from "../base-url.ts";
import type { Endpoint } from "../endpoint.ts";
import { proxySecrets } from "../proxy.ts";
import type { RetryingOptions } from "../request/retrying-provider.ts";
import { canSearch } from "../search/search-form.ts";
import { ClaudeProvider } from "./claude-provider.ts";

export type CloudOptions = Pick<RetryingOptions, "catalog" | "clock" | "random"> & {
  readonly endpoint: Endpoint;
  readonly fetch?: typeof fetch | undefined;
};

/** Claude on Amazon Bedrock or Google Vertex: the same API with the cloud's own keys and addresses. */
export function cloudProvider({ endpoint, catalog, clock, random, fetch }: CloudOptions): Provider {
  const isBedrock = endpoint.type === "bedrock";
  const region = endpoint.region ?? GLOBAL_REGION;
  const host = endpoint.baseUrl?.host ?? cloudHost(isBedrock ? "bedrock" : "vertex", region);
  return new ClaudeProvider({
    name: endpoint.name,
    searchesWeb: canSearch(endpoint),
    apiKey: endpoint.apiKey,
    renewKey: endpoint.renewKey,
    load: async (apiKey) => {
      const given = { ...endpoint, apiKey, region, fetch };
      if (isBedrock) return (await import("./bedrock-client.ts")).bedrockClient(given);
      return (await import("./vertex-client.ts")).vertexClient(given);
    },
    server: {
      host,
      endpoint: endpoint.baseUrl?.url ?? `https://${host}`,
      api: isBedrock ? "Bedrock API" : "Vertex API",
      addressFrom: endpoint.addressFrom,
      keyVariable: endpoint.apiKey === undefined ? credentialsOf(isBedrock) : endpoint.keyFrom,
      secrets: [endpoint.apiKey, ...Object.values(endpoint.headers), ...proxySecrets(endpoint.proxy)].flatMap(
        (secret) => secret ?? [],
      ),
      proxy: endpoint.proxy,
    },
    isLoopback: endpoint.baseUrl?.isLoopback ?? false,
    streamIdleMs: endpoint.streamIdleMs,
    catalog,
    clock,
    random,
  });
}

/** How to set a cloud's own credentials. */
function credentialsOf(isBedrock: boolean): string {
  return isBedrock
    ? "AWS_BEARER_TOKEN_BEDROCK, or the AWS credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE)"
    : 'GOOGLE_APPLICATION_CREDENTIALS, or run "gcloud auth application-default login"';
}
