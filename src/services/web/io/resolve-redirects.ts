import type { WebResult } from "../../../contracts/web.ts";
import type { Environment } from "../../../platform/env.ts";
import { proxiedFetch, proxyFor } from "../../../platform/proxy-route.ts";
import { usableProxy } from "./send-request.ts";

/** Google's own addresses of the pages that Gemini found. */
export const GOOGLE_REDIRECTS = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/";
/** For all addresses together; what is not known then keeps Google's address. */
const TIMEOUT_MS = 3_000;
const MAX_RESOLVED = 20;

/**
 * Replaces addresses that begin with `prefix` by those that they redirect to. Only their own server is asked, for the
 * headers of its redirect; the pages get no request.
 * @throws the abort reason of `signal`.
 */
export async function resolveRedirects(
  results: readonly WebResult[],
  environment: Environment,
  signal: AbortSignal,
  prefix = GOOGLE_REDIRECTS,
): Promise<readonly WebResult[]> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const resolved = await Promise.all(
    results.map(async (result, index) => {
      if (!result.url.startsWith(prefix) || index >= MAX_RESOLVED) return result;
      const url = await targetOf(result.url, environment, ended);
      return url === undefined ? result : { ...result, url };
    }),
  );
  signal.throwIfAborted();
  return resolved;
}

async function targetOf(url: string, environment: Environment, signal: AbortSignal): Promise<string | undefined> {
  try {
    const route = proxyFor(url, environment);
    const proxy = route && usableProxy(route);
    if (route && proxy === undefined) return undefined;
    const fetch = proxy === undefined ? globalThis.fetch : proxiedFetch(globalThis.fetch, proxy);
    const response = await fetch(url, { method: "HEAD", redirect: "manual", signal });
    const target = response.headers.get("location") ?? "";
    return /^https?:\/\//i.test(target) ? target : undefined;
  } catch {
    return undefined;
  }
}
