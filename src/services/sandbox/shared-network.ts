import { join } from "node:path";
import { type Lazy, lazy } from "@quoll/async/lazy";
import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import type { OpenPort } from "../../contracts/ports.ts";
import { SPAWN_TAG_VARIABLE } from "../../platform/processes/process-row.ts";
import { BRIDGE_PORT, holderArguments, joinedArguments, relayArguments } from "./bubblewrap-arguments.ts";
import type { BubblewrapMechanism, Mechanism } from "./detect.ts";
import { type HelperProgram, runProbe, startHelper } from "./io/helper-program.ts";
import { innerRelayArguments } from "./io/inner-relay.ts";
import { type NetworkNamespace, openNetworkNamespace } from "./io/network-namespace.ts";
import { type Relay, startRelay } from "./io/socket-relay.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

const PROBE_MS = 5_000;
const RELAY_START_MS = 10_000;
/** Starts of programs that are remembered; older ones are forgotten. */
const MAX_STARTS = 100;

type SharedNetworkDeps = {
  readonly mechanism: BubblewrapMechanism;
  /** The command that starts Quoll itself as the relay. */
  readonly selfCommand: readonly string[];
  /** Private folder for sockets. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The words before bubblewrap's arguments that join the network, or the reason why joining is impossible. */
export type NetworkEntry = { readonly words: readonly [string, ...string[]] } | { readonly refusal: string };

/**
 * The one network namespace of a session's confined commands: a server started by one command is reachable from the
 * others. Processes and files stay separate. Created at the first command, tested once with a real run, and gone with
 * this process, even when it is killed.
 */
export class SharedNetwork {
  readonly #deps: SharedNetworkDeps;
  #namespace: NetworkNamespace | undefined;
  #relay: Promise<HelperProgram> | undefined;
  readonly #ways = new Set<Relay>();
  #inward = "";
  #relays = 0;
  readonly #starts: { readonly at: number; readonly failures: number | undefined }[] = [];

  constructor(deps: SharedNetworkDeps) {
    this.#deps = deps;
  }

  /** Never rejects. */
  readonly entry: Lazy<NetworkEntry> = lazy(() =>
    this.#open().catch((error: unknown) => ({ refusal: errorMessage(error) })),
  );

  /** Notes that a program starts. @param isIn False for a program with a network of its own. */
  noteStart(isIn: boolean): void {
    this.#starts.push({ at: performance.now(), failures: isIn ? this.#namespace?.failures() : undefined });
    if (this.#starts.length > MAX_STARTS) this.#starts.shift();
  }

  /**
   * True if a connection failed in this network while a program ran that started `ranMs` ago and has just ended;
   * undefined if that can't be known.
   */
  hadFailures(ranMs: number): boolean | undefined {
    const since = performance.now() - ranMs;
    const before = (this.#starts.find(({ at }) => at >= since) ?? this.#starts.at(-1))?.failures;
    const now = this.#namespace?.failures();
    return before === undefined || now === undefined ? undefined : now > before;
  }

  /**
   * Starts the relay: outwards to the proxy, if there is one, and inwards to listening servers.
   * @param proxySocket Must be the same at every call.
   * @returns the unix socket for inward connections (`namedPort` of a relay).
   * @throws {ToolFailedError} the relay can't be started.
   */
  async relay(proxySocket: string | undefined): Promise<string> {
    const running = await this.#relay?.catch(() => undefined);
    if (!running?.isRunning) this.#relay = this.#startRelay(proxySocket);
    try {
      await this.#relay;
      return this.#inward;
    } catch (error) {
      throw new ToolFailedError(`The sandbox's relay could not be started (${errorMessage(error)}).`, { cause: error });
    }
  }

  /**
   * Forwards a port on 127.0.0.1 to the same port inside; uses another outer port if that port is in use.
   * @throws {Error} the relay can't be started, or nothing can listen outside.
   */
  async openPort(port: number, proxySocket: string | undefined): Promise<OpenPort> {
    const to = { socketPath: await this.relay(proxySocket), namedPort: port };
    const relay = await startRelay({ port }, to).catch(() => startRelay({ port: 0 }, to));
    this.#ways.add(relay);
    return {
      address: `127.0.0.1:${relay.port}`,
      close: async () => {
        this.#ways.delete(relay);
        await relay.close();
      },
    };
  }

  async close(): Promise<void> {
    for (const way of this.#ways) await way.close();
    const relay = await this.#relay?.catch(() => undefined);
    await relay?.close();
    await this.entry.begun;
    this.#namespace?.close();
  }

  async #open(): Promise<NetworkEntry> {
    const { file, variant, nsenter } = this.#deps.mechanism;
    if (nsenter === undefined) return { refusal: "nsenter (package util-linux) is not installed" };
    const namespace = await openNetworkNamespace([file, ...holderArguments(variant)], variant.hasUserNamespace);
    const words = [nsenter, ...namespace.joinArguments, file] as const;
    const { exitCode, complaint } = await runProbe([...words, ...joinedArguments(variant), "--", "true"], {
      timeoutMs: PROBE_MS,
    });
    if (exitCode !== 0) {
      namespace.close();
      return { refusal: complaint.split("\n")[0] || "a command could not join it" };
    }
    this.#namespace = namespace;
    return { words };
  }

  async #startRelay(proxySocket: string | undefined): Promise<HelperProgram> {
    const entry = await this.entry();
    if (!("words" in entry)) throw new Error(entry.refusal);
    const { mechanism, selfCommand, folder, env } = this.#deps;
    this.#relays += 1;
    // A killed relay leaves its socket behind.
    this.#inward = join(folder, `in-${this.#relays}.sock`);
    const outward = proxySocket === undefined ? undefined : { port: BRIDGE_PORT, socketPath: proxySocket };
    const words = [...selfCommand, ...innerRelayArguments({ inward: this.#inward, outward })];
    return startHelper([...entry.words, ...relayArguments(mechanism.variant, folder), "--", ...words], {
      env,
      timeoutMs: RELAY_START_MS,
    });
  }
}

/** Undefined if there is nothing to share: no namespaces, or a single command (`quoll sandbox run`). */
export function sharedNetwork(
  { selfCommand, environment, hasTerminal = false }: SandboxDeps,
  mechanism: Mechanism,
  folder: string,
): SharedNetwork | undefined {
  if (mechanism.kind !== "bubblewrap" || hasTerminal) return undefined;
  const tag = environment[SPAWN_TAG_VARIABLE];
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", ...(tag !== undefined && { [SPAWN_TAG_VARIABLE]: tag }) };
  return new SharedNetwork({ mechanism, selfCommand, folder, env });
}

/** Why commands can't share a network on this machine; undefined when they can. Tests with a real run and cleans up. */
export async function sharingProblem(mechanism: BubblewrapMechanism): Promise<string | undefined> {
  const network = new SharedNetwork({ mechanism, selfCommand: [], folder: "", env: {} });
  try {
    const entry = await network.entry();
    return "refusal" in entry ? entry.refusal : undefined;
  } finally {
    await network.close();
  }
}

/** The one-time notice for machines where commands can't share a network. */
export function separateNetworks(refusal: string): string {
  return `Each command in the sandbox has its own network here, so a server that one command starts is not reachable from the next (${refusal}).`;
}
