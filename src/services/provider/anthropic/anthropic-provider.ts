import { UserFacingError } from "../../../contracts/errors.ts";
import type { Provider } from "../../../contracts/provider.ts";
import type { ProxyRoute } from "../../../platform/proxy-route.ts";
import { parseBaseUrl } from "../base-url.ts";
import { proxySecrets } from "../proxy.ts";
import { carriesKey } from "../request/api-key.ts";
import type { FailureContext } from "../request/failure-context.ts";
import type { RetryingOptions } from "../request/retrying-provider.ts";
import { ClaudeProvider, PLACEHOLDER_KEY } from "./claude-provider.ts";

const NAME = "anthropic";
/** A header that may carry a key. */

type OfRetrying = "renewKey" | "catalog" | "clock" | "random" | "streamIdleMs";

export type AnthropicOptions = Pick<RetryingOptions, OfRetrying> & {
  /** `anthropic` by default, or the name of the user's own endpoint. */
  readonly name?: string | undefined;
  readonly searchesWeb?: boolean | undefined;
  readonly apiKey?: string | undefined;
  /** The token used if there is no `apiKey`; sent as a Bearer token. */
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The source of the address, for messages. */
  readonly addressFrom?: string | undefined;
  /** The source of the key, for messages. */
  readonly keyFrom?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly proxy?: ProxyRoute | undefined;
  /** How long the provider keeps a cached prefix; five minutes by default. A one-hour cache costs more to write. */
  readonly cacheTtl?: "5m" | "1h" | undefined;
  readonly nearestModel?: FailureContext["nearestModel"];
  readonly fetch?: typeof fetch | undefined;
};

/**
 * Anthropic's Messages API, and compatible servers.
 * @throws {UserFacingError} (exit 2) the address is unusable, or there is no key and the server is not on this machine.
 */
export function anthropicProvider(options: AnthropicOptions): Provider {
  const {
    name = NAME,
    addressFrom = "ANTHROPIC_BASE_URL",
    headers,
    proxy,
    cacheTtl,
    streamIdleMs,
    catalog,
    clock,
    random,
    fetch,
  } = options;
  const { url, host, isLoopback } = parseBaseUrl(options.baseUrl, addressFrom);
  const { apiKey, authToken } = keysOf(options);
  const isKeyless = apiKey === undefined && authToken === undefined;
  // A gateway of the person's own may need no key, or get one in a header.
  if (isKeyless && !isLoopback && name === NAME && !carriesKey(headers))
    throw new UserFacingError(`There is no key for ${host}: set ANTHROPIC_API_KEY.`, 2);
  return new ClaudeProvider({
    name,
    searchesWeb: options.searchesWeb,
    apiKey: apiKey ?? (isKeyless && isLoopback && !carriesKey(headers) ? PLACEHOLDER_KEY : undefined),
    renewKey: options.renewKey,
    load: async (key) => {
      const { anthropicClient } = await import("./client.ts");
      return anthropicClient({ apiKey: key, authToken, baseUrl: url, headers, fetch });
    },
    server: {
      host,
      endpoint: `${url}/v1/messages`,
      api: "Messages API",
      addressFrom,
      keyVariable:
        options.keyFrom ?? (apiKey === undefined && authToken ? "ANTHROPIC_AUTH_TOKEN" : "ANTHROPIC_API_KEY"),
      isKeyless: isKeyless && !carriesKey(headers),
      secrets: [apiKey, authToken, ...Object.values(headers ?? {}), ...proxySecrets(proxy)].flatMap(
        (secret) => secret ?? [],
      ),
      proxy,
      nearestModel: options.nearestModel,
    },
    isLoopback,
    cacheTtl,
    streamIdleMs,
    catalog,
    clock,
    random,
  });
}

function keysOf({ apiKey, authToken }: AnthropicOptions) {
  return { apiKey: apiKey?.trim() || undefined, authToken: authToken?.trim() || undefined };
}
