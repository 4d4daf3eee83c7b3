import { complain } from "../host.ts";
import { type Relay, startRelay } from "./socket-relay.ts";

/** The name under which our own program is started again in the network that a session's commands share. */
export const INNER_RELAY_COMMAND = "__sandbox-relay";
/** What a shell answers for a program that could not be started. */
const CANNOT_START = 126;

export type InnerRelayWords = {
  /** Unix socket that is made here: it leads to any port that listens inside. */
  readonly inward: string;
  /** The way out to the proxy: this port inside leads to that unix socket. */
  readonly outward: { readonly port: number; readonly socketPath: string } | undefined;
};

/** The words after our own program's: `__sandbox-relay <inward socket> [<port> <proxy's socket>]`. */
export function innerRelayArguments({ inward, outward }: InnerRelayWords): readonly string[] {
  return [INNER_RELAY_COMMAND, inward, ...(outward ? [String(outward.port), outward.socketPath] : [])];
}

/**
 * Inside the network of a session's commands: relays until stdin ends, after one line on stdout that says it is ready.
 * @param args As `innerRelayArguments` made them, without the first.
 * @returns the exit code.
 */
export async function runInnerRelay([inward, port, socketPath]: readonly string[]): Promise<number> {
  if (inward === undefined) {
    complain(`quoll: ${INNER_RELAY_COMMAND} is for Quoll's own use.`);
    return 2;
  }
  const relays: Relay[] = [];
  try {
    relays.push(await startRelay({ socketPath: inward }, "named"));
    if (socketPath !== undefined) relays.push(await startRelay({ port: Number(port) }, { socketPath }));
  } catch (error) {
    complain(`quoll: the sandbox's relay could not be started (${(error as Error).message}).`);
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
