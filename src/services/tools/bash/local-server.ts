import { loopbackPorts } from "@quoll/bash-syntax/needs-network";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { listeningHere } from "../../../platform/processes/listening-ports.ts";

/**
 * The place of the servers that a request to this machine names: `own` if Quoll itself listens on one of the ports,
 * `host` if other processes outside the sandbox listen on all of them, `unknown` otherwise: the servers may be in the
 * sandbox, which has a loopback of its own.
 */
export function serverPlace(command: SimpleCommand): "own" | "host" | "unknown" {
  const ports = loopbackPorts(command);
  const { all, own } = listeningHere();
  if (ports.some((port) => own.has(port))) return "own";
  return ports.length > 0 && ports.every((port) => all.has(port)) ? "host" : "unknown";
}
