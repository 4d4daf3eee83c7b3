import { spawn } from "node:child_process";
import { constants } from "node:os";
import { printProblem } from "../../../platform/host.ts";
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
    printProblem(`${INNER_RELAY_COMMAND} is for Quoll's own use.`);
    return 2;
  }
  const relays: Relay[] = [];
  try {
    relays.push(await startRelay({ socketPath: inward }, "named"));
    if (socketPath !== undefined) relays.push(await startRelay({ port: Number(port) }, { socketPath }));
  } catch (error) {
    printProblem(`the sandbox's relay could not be started (${(error as Error).message}).`);
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

/** The subcommand that starts Quoll itself inside a sandbox to reach the proxy outside. */
export const BRIDGE_COMMAND = "__sandbox-bridge";
const PASSED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** The arguments after Quoll's own command: `__sandbox-bridge <socket> <port> -- <file> <argument>…`. */
export function bridgeArguments(socketPath: string, port: number, command: readonly string[]): readonly string[] {
  return [BRIDGE_COMMAND, socketPath, String(port), "--", ...command];
}

/**
 * Inside a sandbox: listens on a loopback port, forwards every connection to a unix socket, and runs a command
 * in the meantime.
 * @param args The result of `bridgeArguments` without its first element.
 * @returns the exit code of the command; 128 plus the signal's number when a signal ended it.
 */
export async function runBridge(args: readonly string[]): Promise<number> {
  const [socketPath, port, dashes, file, ...rest] = args;
  if (socketPath === undefined || !/^\d{1,5}$/.test(port ?? "") || dashes !== "--" || file === undefined) {
    printProblem(`${BRIDGE_COMMAND} is for Quoll's own use.`);
    return 2;
  }
  let relay: Relay;
  try {
    relay = await startRelay({ port: Number(port) }, { socketPath });
  } catch (error) {
    printProblem(`the sandbox's network bridge could not be opened (${(error as Error).message}).`);
    return CANNOT_START;
  }
  const code = await runToEnd(file, rest);
  await relay.close();
  return code;
}

function runToEnd(file: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: "inherit" });
    const pass = PASSED_SIGNALS.map((signal) => {
      const listener = () => void child.kill(signal);
      process.on(signal, listener);
      return { signal, listener };
    });
    const done = (code: number) => {
      for (const { signal, listener } of pass) process.off(signal, listener);
      resolve(code);
    };
    child.once("error", (error) => {
      printProblem(`${file} could not be started in the sandbox (${error.message}).`);
      done(CANNOT_START);
    });
    child.once("exit", (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
