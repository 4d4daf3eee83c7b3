import type { Provider } from "../../contracts/provider.ts";
import { accessHeaders } from "./access-headers.ts";
import type { ProviderChoice } from "./choose-provider.ts";
import type { Endpoint } from "./endpoint.ts";
import { fetchThrough } from "./proxy.ts";
import type { RateLimitLog } from "./rate-limits/rate-limit-log.ts";
import type { FailureContext } from "./request/failure-context.ts";
import type { RetryingOptions } from "./request/retrying-provider.ts";
import { canSearch, searchForm } from "./search/search-form.ts";

const OLLAMA_PORT = "11434";
/** An answer waits no longer than this for the window with which its model was loaded. */
const LOADED_WAIT_MS = 1_000;

export type ProviderParts = Pick<RetryingOptions, "catalog" | "clock" | "random"> & {
  readonly fetch?: typeof fetch | undefined;
  /** Stores the limits that answers report. */
  readonly rateLimits?: RateLimitLog | undefined;
  /** True if a person reads the answers: the offline engine then explains itself instead of failing. */
  readonly hasPerson?: boolean;
};

/**
 * Creates the chosen provider. The provider's code is loaded now, the vendor's package at the first request.
 * @throws {UserFacingError} (exit 2) the address or the proxy's address is unusable.
 */
export async function createProvider(choice: ProviderChoice, parts: ProviderParts): Promise<Provider> {
  if ("made" in choice) return choice.made;
  if (!("endpoint" in choice)) {
    const { offlineProvider } = await import("./offline/offline-provider.ts");
    return offlineProvider({ fails: choice.fallback && !parts.hasPerson });
  }
  const { endpoint } = choice;
  const fetch = fetchThrough(endpoint.proxy, parts.fetch);
  const { catalog, clock, random, rateLimits } = parts;
  return served(endpoint, { catalog, clock, random, fetch: rateLimits?.noting(endpoint.name, fetch) ?? fetch });
}

type ServedParts = Omit<ProviderParts, "rateLimits">;

async function served(endpoint: Endpoint, parts: ServedParts): Promise<Provider> {
  const { catalog, clock, random, fetch } = parts;
  const nearestModel = async (model: string) => (await import("./own-models.ts")).nearestListed(endpoint, model);
  switch (endpoint.type) {
    case "anthropic": {
      const { anthropicProvider } = await import("./anthropic/anthropic-provider.ts");
      return anthropicProvider({
        ...claudeAccess(endpoint),
        baseUrl: endpoint.baseUrl?.url,
        nearestModel,
        catalog,
        clock,
        random,
        fetch,
      });
    }
    case "bedrock":
    case "vertex": {
      const { cloudProvider } = await import("./anthropic/cloud-provider.ts");
      return cloudProvider({ endpoint, catalog, clock, random, fetch });
    }
    default:
      return aiSdk(endpoint, parts, nearestModel);
  }
}

function claudeAccess({ baseUrl: _, ...endpoint }: Endpoint) {
  return { ...endpoint, searchesWeb: canSearch(endpoint) };
}

async function aiSdk(
  endpoint: Endpoint,
  parts: ServedParts,
  nearestModel: FailureContext["nearestModel"],
): Promise<Provider> {
  const { catalog, clock, random, fetch } = parts;
  const { name, type, api, quirks, baseUrl, addressFrom, apiKey, renewKey, keyFrom, headers, proxy, streamIdleMs } =
    endpoint;
  const { aiSdkProvider } = await import("./ai-sdk/ai-sdk-provider.ts");
  const wire = await wireOf(type, api, quirks);
  if (!baseUrl) throw new Error(`The provider ${name} has no address.`);
  return aiSdkProvider({
    name,
    baseUrl,
    addressFrom,
    apiKey,
    renewKey,
    keyFrom,
    headers,
    proxy,
    streamIdleMs,
    catalog,
    clock,
    random,
    fetch,
    nearestModel,
    wire,
    search: searchForm(endpoint),
    loadedWindow: isOllama(endpoint) ? askingOllama(endpoint, parts) : undefined,
  });
}

/** Ollama also under a name of the user's own, at its usual port. */
function isOllama({ name, type, baseUrl }: Endpoint): boolean {
  if (type !== "openai-compatible" || !baseUrl) return false;
  return name === "ollama" || new URL(baseUrl.url).port === OLLAMA_PORT;
}

function askingOllama(endpoint: Endpoint, { fetch = globalThis.fetch }: ServedParts) {
  return async (model: string) => {
    const { askLoaded } = await import("./server-limits.ts");
    const signal = AbortSignal.timeout(LOADED_WAIT_MS);
    const server = { url: endpoint.baseUrl?.url ?? "", headers: accessHeaders(endpoint), fetch, signal };
    return (await askLoaded(model, server))?.contextWindow;
  };
}

async function wireOf(type: Endpoint["type"], api: Endpoint["api"], quirks: Endpoint["quirks"]) {
  if (type === "openai") return (await import("./ai-sdk/openai-wire.ts")).openAiWire(api, quirks);
  if (type === "google") return (await import("./ai-sdk/google-wire.ts")).googleWire(quirks);
  return (await import("./ai-sdk/compatible-wire.ts")).compatibleWire(quirks);
}
