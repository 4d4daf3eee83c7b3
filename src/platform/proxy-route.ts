import type { Environment } from "./env.ts";

/** The proxy for a host. */
export type ProxyRoute = {
  /** Host and port, for messages. */
  readonly host: string;
  /** The variable that sets the proxy. */
  readonly variable: string;
  /** With user name and password: never shown. */
  readonly url: string;
};

const FOR_ALL = ["ALL_PROXY", "all_proxy"];
const BY_PROTOCOL: Readonly<Record<string, readonly string[]>> = {
  "https:": ["HTTPS_PROXY", "https_proxy", ...FOR_ALL],
  "http:": ["HTTP_PROXY", "http_proxy", ...FOR_ALL],
};

/** The proxy that the variables set for this URL; undefined for a direct connection. */
export function proxyFor(url: string, environment: Environment): ProxyRoute | undefined {
  const { protocol, hostname, port } = new URL(url);
  const variable = BY_PROTOCOL[protocol]?.find((name) => environment[name]?.trim());
  const value = variable && environment[variable]?.trim();
  if (!variable || !value) return undefined;
  const exceptions = environment["NO_PROXY"] ?? environment["no_proxy"] ?? "";
  if (isExcepted(hostname, port || (protocol === "https:" ? "443" : "80"), exceptions)) return undefined;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  return { host: URL.canParse(text) ? new URL(text).host : "", variable, url: text };
}

function isExcepted(host: string, port: string, list: string): boolean {
  return list.split(",").some((item) => {
    const [, name = "", only = port] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(item.trim().toLowerCase()) ?? [];
    if (name === "*" || item.trim() === "*") return true;
    return name !== "" && only === port && (host === name || host.endsWith(`.${name}`));
  });
}

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
