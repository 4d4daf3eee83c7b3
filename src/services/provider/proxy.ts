import { UserFacingError } from "../../contracts/errors.ts";
import { proxiedFetch } from "../../platform/proxied-fetch.ts";
import type { ProxyRoute } from "../../platform/proxy-route.ts";

const SPOKEN = /^https?:$/;

/**
 * The way of a provider's requests.
 * @param fetch undefined: the runtime's own.
 * @throws {UserFacingError} (exit 2) the variable is no address, or the proxy speaks another protocol.
 */
export function fetchThrough(
  proxy: ProxyRoute | undefined,
  fetch: typeof globalThis.fetch | undefined,
): typeof globalThis.fetch | undefined {
  if (!proxy) return fetch;
  if (proxy.host === "") {
    const example = "http://proxy.example.com:3128";
    throw new UserFacingError(`${proxy.variable} is no address of a proxy: write it like ${example}.`, 2);
  }
  const { protocol, username, password } = new URL(proxy.url);
  if (decoded(username) === undefined || decoded(password) === undefined)
    throw new UserFacingError(`${proxy.variable}: in its user name or password a % must be written %25.`, 2);
  if (SPOKEN.test(protocol)) return proxiedFetch(fetch ?? globalThis.fetch, proxy.url);
  throw new UserFacingError(
    `${proxy.variable} names a ${protocol.slice(0, -1)} proxy (${proxy.host}), but only http and https ones can be used: set HTTPS_PROXY to one, or name the provider's host in NO_PROXY.`,
    2,
  );
}

/** What must not be shown of a proxy. */
export function proxySecrets(proxy: ProxyRoute | undefined): readonly string[] {
  const { password = "" } = proxy && proxy.host !== "" ? new URL(proxy.url) : {};
  return password === "" ? [] : [password, decoded(password) ?? password];
}

/** Undefined for what holds a % that is none of an escape. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
