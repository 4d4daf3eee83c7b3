import { spawn } from "node:child_process";
import { constants } from "node:os";
import { complain } from "../host.ts";
import { type Relay, startRelay } from "./socket-relay.ts";

/** The name under which our own program is started again inside a sandbox to reach the proxy outside. */
export const BRIDGE_COMMAND = "__sandbox-bridge";
/** What a shell answers for a program that could not be started. */
const CANNOT_START = 126;
const PASSED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** The words after our own program's: `__sandbox-bridge <socket> <port> -- <file> <argument>…`. */
export function bridgeArguments(socketPath: string, port: number, command: readonly string[]): readonly string[] {
  return [BRIDGE_COMMAND, socketPath, String(port), "--", ...command];
}

/**
 * Inside a sandbox: listens on a loopback port, hands every connection to a unix socket, and runs a command meanwhile.
 * @param args As `bridgeArguments` made them, without the first.
 * @returns the exit code of the command; 128 and the signal's number when a signal ended it.
 */
export async function runBridge(args: readonly string[]): Promise<number> {
  const [socketPath, port, dashes, file, ...rest] = args;
  if (socketPath === undefined || !/^\d{1,5}$/.test(port ?? "") || dashes !== "--" || file === undefined) {
    complain(`quoll: ${BRIDGE_COMMAND} is for Quoll's own use.`);
    return 2;
  }
  let relay: Relay;
  try {
    relay = await startRelay({ port: Number(port) }, { socketPath });
  } catch (error) {
    complain(`quoll: the sandbox's way to the network could not be opened (${(error as Error).message}).`);
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
      complain(`quoll: ${file} could not be started in the sandbox (${error.message}).`);
      done(CANNOT_START);
    });
    child.once("exit", (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
