import { atMost } from "@quoll/async/at-most";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { LateServers } from "./connect-servers.ts";

/** The longest wait for servers that an agent needs. */
const MAX_WAIT_MS = 30_000;

type Waiting = { readonly clock: Clock; readonly signal: AbortSignal };

/**
 * Waits until these servers are connected.
 * @throws {ToolFailedError} a server is not configured, failed, or did not answer in time.
 * @throws the abort reason of `signal`.
 */
export async function requireServers(
  names: readonly string[],
  servers: Pick<LateServers, "known" | "client" | "leftOut"> | undefined,
  { clock, signal }: Waiting,
): Promise<void> {
  await atMost(started(names, servers), MAX_WAIT_MS, { clock, signal });
  signal.throwIfAborted();
  for (const name of names) {
    const problem = problemOf(name, servers);
    if (problem !== undefined) throw new ToolFailedError(`The MCP server ${name}, which it needs, ${problem}.`);
  }
}

async function started(names: readonly string[], servers: Parameters<typeof requireServers>[1]): Promise<void> {
  await servers?.known();
  const states = servers?.client?.states ?? [];
  const wanted = states.filter(({ name }) => names.includes(name));
  await Promise.all(wanted.map(({ toolPrefix }) => servers?.client?.startedBy(toolPrefix)));
}

function problemOf(name: string, servers: Parameters<typeof requireServers>[1]): string | undefined {
  const state = servers?.client?.states.find((one) => one.name === name);
  if (state?.status === "connected") return undefined;
  if (state?.status === "pending") return `did not answer within ${MAX_WAIT_MS / 1_000} s`;
  if (state) return `is not available: ${state.error ?? state.status}`;
  const left = servers?.leftOut.find((one) => one.name === name);
  return left ? `was left out: ${left.why}` : "is not configured";
}
