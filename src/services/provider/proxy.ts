import { UserFacingError } from "../../contracts/errors.ts";
import { proxiedFetch } from "../../platform/proxied-fetch.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy on the way to a host. */
export type ProxyRoute = {
  /** Host and port, for messages. */
  readonly host: string;
  /** The variable that names it. */
  readonly variable: string;
  /** With user name and password: never shown. */
  readonly url: string;
};

const FOR_ALL = ["ALL_PROXY", "all_proxy"];
const BY_PROTOCOL: Readonly<Record<string, readonly string[]>> = {
  "https:": ["HTTPS_PROXY", "https_proxy", ...FOR_ALL],
  "http:": ["HTTP_PROXY", "http_proxy", ...FOR_ALL],
};
const SPOKEN = /^https?:$/;

/** The proxy that the variables name for this address; undefined for a direct way. */
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
