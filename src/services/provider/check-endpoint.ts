import { errorMessage } from "../../contracts/errors.ts";
import type { Endpoint } from "./endpoint.ts";

/** A provider's answer to a request for its list of models, which is free of charge. */
export type EndpointAnswer =
  | { readonly kind: "answered"; readonly status: number }
  /** The endpoint redirects; Quoll sent nothing to the new address. */
  | { readonly kind: "redirected"; readonly status: number }
  | { readonly kind: "unreachable"; readonly message: string }
  /** The provider offers no such request. */
  | { readonly kind: "unasked" };

const ANTHROPIC_VERSION = "2023-06-01";

/**
 * Asks a provider for its list of models, at the address and with the key of a session. A redirect is never followed, so that
 * the key goes to no other host. Never rejects.
 */
export async function checkEndpoint(
  endpoint: Endpoint,
  { fetch, signal }: { readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal },
): Promise<EndpointAnswer> {
  const request = requestOf(endpoint);
  if (!request) return { kind: "unasked" };
  try {
    const headers = { ...request.headers, ...endpoint.headers };
    const response = await fetch(request.url, { headers, signal, redirect: "manual" });
    await response.body?.cancel();
    const { status } = response;
    const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400);
    return { kind: isRedirect ? "redirected" : "answered", status };
  } catch (error) {
    return { kind: "unreachable", message: errorMessage(error) };
  }
}

/**
 * The request that lists the models, as each API documents it.
 * https://docs.claude.com/en/api/models-list, https://platform.openai.com/docs/api-reference/models/list,
 * https://ai.google.dev/api/models
 */
function requestOf({ type, baseUrl, apiKey, authToken }: Endpoint) {
  const bearer = apiKey ?? authToken;
  const bearerHeader: Readonly<Record<string, string>> =
    bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  switch (type) {
    case "anthropic": {
      const key = apiKey === undefined ? bearerHeader : { "x-api-key": apiKey };
      const url = `${baseUrl?.url ?? ""}/v1/models?limit=1`;
      return baseUrl && { url, headers: { "anthropic-version": ANTHROPIC_VERSION, ...key } };
    }
    case "google": {
      const key: Readonly<Record<string, string>> = apiKey === undefined ? {} : { "x-goog-api-key": apiKey };
      return baseUrl && { url: `${baseUrl.url}/models?pageSize=1`, headers: key };
    }
    case "openai":
    case "openai-compatible":
      return baseUrl && { url: `${baseUrl.url}/models`, headers: bearerHeader };
    default:
      return undefined;
  }
}
