import { guardedLookup, isNumericHost, isPublicAddress } from "../../platform/sandbox/resolve-host.ts";
import { startRelay } from "../../platform/sandbox/socket-relay.ts";
import { type DomainRules, isAllowedHost, isNamedHost } from "./domain-rules.ts";

/** The way to allowed domains: a proxy outside, and a socket that leads to it. */
export interface NetworkProxy {
  /** On loopback. */
  readonly port: number;
  /** The latest refusals, oldest first. */
  readonly refusals: readonly Refusal[];
  close(): Promise<void>;
}

export type Refusal = {
  readonly host: string;
  /** As `performance.now()` says it. */
  readonly at: number;
};

const MAX_REFUSALS = 100;

export type NetworkProxyRequest = {
  /** Where the unix socket is made; absolute. */
  readonly socketPath: string;
  readonly rules: DomainRules;
  /** A proxy that this machine has to use itself. */
  readonly upstreamProxy: string | undefined;
};

/**
 * Starts a proxy for HTTP and, by CONNECT, anything in TLS, that leads to allowed hosts only. A name is resolved here, once,
 * and refused if it leads to an inner network, unless settings name that very host.
 * @throws {Error} a system error: it can't listen.
 */
export async function startNetworkProxy(request: NetworkProxyRequest): Promise<NetworkProxy> {
  const { RequestError, Server } = await import("proxy-chain");
  const refusals: Refusal[] = [];
  const server = new Server({
    host: "127.0.0.1",
    port: 0,
    prepareRequestFunction: ({ hostname }) => {
      const problem = refusal(hostname, request.rules);
      if (problem !== undefined) {
        refusals.push({ host: hostname, at: performance.now() });
        if (refusals.length > MAX_REFUSALS) refusals.shift();
        throw new RequestError(problem, 403);
      }
      if (request.upstreamProxy !== undefined) return { upstreamProxyUrl: request.upstreamProxy };
      const isNamed = isNamedHost(hostname, request.rules);
      const dnsLookup = guardedLookup((address) => isNamed || isPublicAddress(address));
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

/** Why a host is refused, in one line that a person can act on; undefined when it isn't. */
function refusal(host: string, rules: DomainRules): string | undefined {
  const isNumeric = isNumericHost(host);
  if (isAllowedHost(host, rules, isNumeric)) return undefined;
  return `Quoll's sandbox refused ${host}: it is not among sandbox.network.allowedDomains`;
}
