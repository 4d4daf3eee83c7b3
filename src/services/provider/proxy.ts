import { decodedEscapes } from "../../contracts/decoded-escapes.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { type ProxyRoute, proxiedFetch } from "../../platform/proxy-route.ts";

const SPOKEN = /^https?:$/;

/**
 * The fetch function for a provider's requests, with its proxy.
 * @param fetch undefined for the runtime's own fetch.
 * @throws {UserFacingError} (exit 2) the variable is not an address, or the proxy uses another protocol.
 */
export function fetchThrough(
  proxy: ProxyRoute | undefined,
  fetch: typeof globalThis.fetch | undefined,
): typeof globalThis.fetch | undefined {
  if (!proxy) return fetch;
  if (proxy.host === "") {
    const example = "http://proxy.example.com:3128";
    throw new UserFacingError(`${proxy.variable} is not the address of a proxy: use one like ${example}.`, 2);
  }
  const { protocol, username, password } = new URL(proxy.url);
  if (decodedEscapes(username) === undefined || decodedEscapes(password) === undefined)
    throw new UserFacingError(`${proxy.variable}: write a % in the user name or password as %25.`, 2);
  if (SPOKEN.test(protocol)) return proxiedFetch(fetch ?? globalThis.fetch, proxy.url);
  throw new UserFacingError(
    `${proxy.variable} names a ${protocol.slice(0, -1)} proxy (${proxy.host}), but Quoll supports only http and https proxies: set HTTPS_PROXY to such a proxy, or add the provider's host to NO_PROXY.`,
    2,
  );
}

/** The parts of a proxy address that must not be shown. */
export function proxySecrets(proxy: ProxyRoute | undefined): readonly string[] {
  const { password = "" } = proxy && proxy.host !== "" ? new URL(proxy.url) : {};
  return password === "" ? [] : [password, decodedEscapes(password) ?? password];
}
