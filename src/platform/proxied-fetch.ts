type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` through the given proxy, independent of environment variables: Bun's own fetch supports a proxy, Node's
 * does not.
 * @param proxyUrl `http:` or `https:`, with user name and password if needed.
 */
export function proxiedFetch(fetch: Fetch, proxyUrl: string): Fetch {
  const proxied = async (...[input, init]: Parameters<Fetch>) => {
    if (process.versions.bun !== undefined) return fetch(input, { ...init, proxy: proxyUrl });
    // Node's HTTP client takes milliseconds to load.
    const { nodeProxiedFetch } = await import("./node-proxied-fetch.ts");
    return nodeProxiedFetch(fetch, proxyUrl)(input, init);
  };
  return Object.assign(proxied, { preconnect: fetch.preconnect });
}
