import { printError } from "../../../platform/host.ts";
import { type Relay, startRelay } from "./socket-relay.ts";

/** The subcommand that starts Quoll itself in the network shared by a session's commands. */
export const INNER_RELAY_COMMAND = "__sandbox-relay";
/** Exit code of a shell for a program that could not be started. */
const CANNOT_START = 126;

export type InnerRelayWords = {
  /** Path of the unix socket to create; it forwards to any port inside. */
  readonly inward: string;
  /** The connection to the proxy: this inner port forwards to that unix socket. */
  readonly outward: { readonly port: number; readonly socketPath: string } | undefined;
};

/** The arguments after Quoll's own command: `__sandbox-relay <inward socket> [<port> <proxy's socket>]`. */
export function innerRelayArguments({ inward, outward }: InnerRelayWords): readonly string[] {
  return [INNER_RELAY_COMMAND, inward, ...(outward ? [String(outward.port), outward.socketPath] : [])];
}

/**
 * Inside the network of a session's commands: prints one line on stdout when ready, then relays until stdin ends.
 * @param args The result of `innerRelayArguments` without its first element.
 * @returns the exit code.
 */
export async function runInnerRelay([inward, port, socketPath]: readonly string[]): Promise<number> {
  if (inward === undefined) {
    printError(`quoll: ${INNER_RELAY_COMMAND} is for Quoll's own use.`);
    return 2;
  }
  const relays: Relay[] = [];
  try {
    relays.push(await startRelay({ socketPath: inward }, "named"));
    if (socketPath !== undefined) relays.push(await startRelay({ port: Number(port) }, { socketPath }));
  } catch (error) {
    printError(`quoll: the sandbox's relay could not be started (${(error as Error).message}).`);
    return CANNOT_START;
  }
  process.stdout.write("ready\n");
  await stdinEnd();
  await Promise.all(relays.map((relay) => relay.close()));
  return 0;
}

function stdinEnd(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.on("end", resolve).on("error", () => resolve());
    process.stdin.resume();
  });
}
