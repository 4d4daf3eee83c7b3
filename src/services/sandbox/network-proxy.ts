import type { ReachedHost } from "../../contracts/subject.ts";
import { guardedLookup, isNumericHost, isPublicAddress, isThisMachine } from "../../platform/resolve-host.ts";
import { startRelay } from "./io/socket-relay.ts";

/** A proxy outside the sandbox that connects to allowed domains, reachable through a socket. */
export interface NetworkProxy {
  /** The proxy's port on loopback. */
  readonly port: number;
  /** The latest refusals, oldest first. */
  readonly refusals: readonly Refusal[];
  close(): Promise<void>;
}

export type Refusal = {
  readonly host: string;
  /** Time from `performance.now()`. */
  readonly at: number;
};

const MAX_REFUSALS = 100;

export type NetworkProxyRequest = {
  /** Path of the unix socket; absolute. */
  readonly socketPath: string;
  readonly rules: DomainRules;
  /** Hosts that are open besides those of the rules. */
  readonly opened?: readonly ReachedHost[];
  /** The upstream proxy of this machine. */
  readonly upstreamProxy: string | undefined;
};

/**
 * Starts a proxy for HTTP and, through CONNECT, TLS, that connects to allowed hosts only. Each name is resolved once,
 * here, and refused when it resolves to a private network, unless settings name exactly that host.
 * @throws {Error} a system error: the proxy can't listen.
 */
export async function startNetworkProxy(request: NetworkProxyRequest): Promise<NetworkProxy> {
  const { RequestError, Server } = await import("proxy-chain");
  const refusals: Refusal[] = [];
  const refuse = (host: string) => {
    refusals.push({ host, at: performance.now() });
    if (refusals.length > MAX_REFUSALS) refusals.shift();
  };
  const server = new Server({
    host: "127.0.0.1",
    port: 0,
    prepareRequestFunction: ({ hostname, port }) => {
      const opened = openedHost({ host: hostname, port }, request);
      const problem = opened ? undefined : refusal(hostname, request.rules);
      if (problem !== undefined) {
        refuse(hostname);
        // The library knows its error by this name, which the built program shortens.
        throw Object.assign(new RequestError(problem, 403), { name: "RequestError" });
      }
      const isHere = opened?.port !== undefined;
      if (request.upstreamProxy !== undefined && !isHere) return { upstreamProxyUrl: request.upstreamProxy };
      const isNamed = isNamedHost(hostname, request.rules);
      const dnsLookup = guardedLookup((address) => {
        const isOpen = isNamed || isPublicAddress(address) || (opened !== undefined && isPrivateOpen(opened, address));
        if (!isOpen) refuse(hostname);
        return isOpen;
      });
      return { dnsLookup };
    },
  });
  await server.listen();
  const relay = await startRelay({ socketPath: request.socketPath }, { port: server.port });
  return {
    port: server.port,
    refusals,
    async close() {
      await relay.close();
      await server.close(true);
    },
  };
}

/** The entry that opens a host and port, if no rule denies the host. */
function openedHost(
  { host, port }: { readonly host: string; readonly port: number },
  { opened = [], rules: { denied } }: NetworkProxyRequest,
): ReachedHost | undefined {
  const name = host.toLowerCase().replace(/\.$/, "");
  const found = opened.find((one) => one.host === name && (one.port === undefined || one.port === port));
  if (!found || !isAllowedHost(name, { allowed: [name], denied }, isNumericHost(name))) return undefined;
  return isNumericHost(name) && !isPublicAddress(name) && !isPrivateOpen(found, name) ? undefined : found;
}

/** A stranger's name may lead to this machine, where other programs listen: it is open only by its port. */
function isPrivateOpen({ isOwn, port }: ReachedHost, address: string): boolean {
  return isOwn === true && (port !== undefined || !isThisMachine(address));
}

/** The reason why a host is refused, as one line that a person can act on; undefined if the host is allowed. */
function refusal(host: string, rules: DomainRules): string | undefined {
  const isNumeric = isNumericHost(host);
  if (isAllowedHost(host, rules, isNumeric)) return undefined;
  return `Quoll's sandbox refused ${host}: it is not among sandbox.network.allowedDomains`;
}

/** The hosts that confined programs may reach, from settings. */
export type DomainRules = { readonly allowed: readonly string[]; readonly denied: readonly string[] };

/**
 * True if a host may be reached: an entry allows it (`example.com` exactly that host, `*.example.com` all hosts below
 * it, `*` every name) and no entry denies it. Ignores case and a trailing dot. A numeric address must be listed
 * literally.
 */
export function isAllowedHost(host: string, { allowed, denied }: DomainRules, isNumeric: boolean): boolean {
  const name = normalize(host);
  if (name === "" || denied.some((entry) => covers(normalize(entry), name, false))) return false;
  return allowed.some((entry) => covers(normalize(entry), name, isNumeric));
}

/** True if an entry names exactly this host: it may then resolve to a private address. */
export function isNamedHost(host: string, { allowed }: DomainRules): boolean {
  return allowed.some((entry) => normalize(entry) === normalize(host));
}

function covers(entry: string, name: string, onlyExact: boolean): boolean {
  if (entry === name) return true;
  if (onlyExact) return false;
  if (entry === "*") return true;
  return entry.startsWith("*.") && name.endsWith(entry.slice(1)) && name.length > entry.length - 1;
}

/** The host name of an entry, without a scheme, port or path. */
function normalize(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, "")
    .replace(/\/.*$/, "")
    .replace(/^\[|\]$/g, "")
    .replace(/^([^:]*):\d+$/, "$1")
    .replace(/\.$/, "");
}
