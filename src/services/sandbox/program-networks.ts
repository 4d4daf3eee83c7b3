import { join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import { once } from "@quoll/async/once";
import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import type { OpenedNetwork } from "../../contracts/subject.ts";
import type { Mechanism } from "./detect.ts";
import type { PrivateFolders } from "./io/private-folders.ts";
import { type NetworkProxy, type NetworkProxyRequest, type Refusal, startNetworkProxy } from "./network-proxy.ts";
import type { SandboxNetwork } from "./policy.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { type NetworkEntry, type SharedNetwork, separateNetworks } from "./shared-network.ts";

const PROXY_SOCKET = "proxy.sock";
const MAX_PAST_REFUSALS = 100;

export type OpenNetwork = {
  readonly network: SandboxNetwork | undefined;
  /** The words before bubblewrap's arguments; undefined where each program has its own network. */
  readonly entry: readonly [string, ...string[]] | undefined;
  /** Ends a network of one program alone. Safe to call twice. */
  close?(): Promise<void>;
};

type NetworkParts = {
  readonly mechanism: Mechanism;
  readonly folders: PrivateFolders;
  readonly shared: SharedNetwork | undefined;
};

/** The networks of confined programs: the one that a session's commands share, and those that are opened to one program. */
export class ProgramNetworks {
  readonly #deps: SandboxDeps;
  readonly #parts: NetworkParts;
  readonly #proxy = lazy(() => startNetworkProxy(this.#proxyRequest(this.#socketPath)));
  /** The proxies of programs with a network of their own, and the latest refusals of those that are closed. */
  readonly #proxies = new Set<NetworkProxy>();
  readonly #pastRefusals: Refusal[] = [];
  #hasNotified = false;

  constructor(deps: SandboxDeps, parts: NetworkParts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  /**
   * The network of a program, and the command that joins it when the session's commands share one.
   * @throws {ToolFailedError} a proxy or relay can't be started.
   */
  async open(opened?: OpenedNetwork): Promise<OpenNetwork> {
    if (opened) return this.#openOwnNetwork(opened);
    const entry = await this.#enterShared();
    const port = await this.#openProxy();
    if (port === undefined) return { network: undefined, entry };
    if (entry) {
      await this.#parts.shared?.relay(this.#socketPath);
      return { network: { port }, entry };
    }
    const bridge = { folder: this.#parts.folders.network, socket: PROXY_SOCKET, selfCommand: this.#deps.selfCommand };
    return { network: { port, bridge }, entry };
  }

  /** A network and a proxy of one program alone: no other program can connect through it. */
  async #openOwnNetwork({ hosts }: OpenedNetwork): Promise<OpenNetwork> {
    if (this.#parts.mechanism.kind === "landlock")
      throw new ToolFailedError("This sandbox can't open a network to a command: nothing was run.");
    const folder = this.#parts.folders.newNetwork();
    const socketPath = join(folder, PROXY_SOCKET);
    try {
      const proxy = await startNetworkProxy({ ...this.#proxyRequest(socketPath), opened: hosts });
      this.#proxies.add(proxy);
      const close = once(async () => {
        this.#proxies.delete(proxy);
        this.#pastRefusals.push(...proxy.refusals);
        this.#pastRefusals.splice(0, this.#pastRefusals.length - MAX_PAST_REFUSALS);
        await proxy.close();
        this.#parts.folders.removeNetwork(folder);
      });
      const bridge = { folder, socket: PROXY_SOCKET, selfCommand: this.#deps.selfCommand };
      const isMounted = this.#parts.mechanism.kind === "bubblewrap";
      const reachesHere = hosts.some(({ port }) => port !== undefined);
      return { network: { port: proxy.port, reachesHere, ...(isMounted && { bridge }) }, entry: undefined, close };
    } catch (error) {
      this.#parts.folders.removeNetwork(folder);
      throw new ToolFailedError(`The sandbox's proxy could not be started (${errorMessage(error)}).`, { cause: error });
    }
  }

  #proxyRequest(socketPath: string): NetworkProxyRequest {
    const { settings, environment } = this.#deps;
    const { allowedDomains: allowed = [], deniedDomains: denied = [] } = settings.network ?? {};
    const upstreamProxy = environment["HTTPS_PROXY"] || environment["https_proxy"] || undefined;
    return { socketPath, rules: { allowed, denied }, upstreamProxy };
  }

  async #enterShared(): Promise<OpenNetwork["entry"]> {
    const entry: NetworkEntry | undefined = await this.#parts.shared?.entry();
    if (!entry) return undefined;
    if ("words" in entry) return entry.words;
    if (!this.#hasNotified) this.#deps.onNotice?.(separateNetworks(entry.refusal));
    this.#hasNotified = true;
    return undefined;
  }

  /** The socket of the proxy that the session's commands share; undefined if there is none yet. */
  get proxySocket(): string | undefined {
    return this.#proxy.begun && this.#socketPath;
  }

  get #socketPath(): string {
    return join(this.#parts.folders.network, PROXY_SOCKET);
  }

  /** @returns the proxy's port outside the sandbox; undefined when no host is allowed. */
  async #openProxy(): Promise<number | undefined> {
    const allowed = this.#deps.settings.network?.allowedDomains ?? [];
    if (allowed.length === 0 || this.#parts.mechanism.kind === "landlock") return undefined;
    try {
      return (await this.#proxy()).port;
    } catch (error) {
      throw new ToolFailedError(`The sandbox's proxy could not be started (${errorMessage(error)}).`, { cause: error });
    }
  }

  /** The hosts to which a proxy refused a connection in the last `withinMs` milliseconds. */
  refusedHosts(withinMs: number): readonly string[] {
    const since = performance.now() - withinMs;
    const own = [...this.#proxies].flatMap(({ refusals }) => refusals);
    const all = [...(this.#proxy.value?.refusals ?? []), ...this.#pastRefusals, ...own];
    return all.filter(({ at }) => at >= since).map(({ host }) => host);
  }

  async close(): Promise<void> {
    const proxy = await this.#proxy.begun?.catch(() => undefined);
    await Promise.all([proxy, ...this.#proxies].map((one) => one?.close()));
  }
}
