import type { LeftOutServer, McpServerState } from "../../contracts/mcp.ts";
import { declarationTokens } from "../../contracts/tool-offer.ts";
import type { McpServerConfig } from "../../services/mcp/config/server-config.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";
import { openMcpLogins } from "../open-mcp-logins.ts";
import { sessionOrphans } from "../session/open-orphan-watch.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { findServers } from "./find-servers.ts";
import type { ServerWishes } from "./names-servers.ts";
import { wireMcp } from "./wire-mcp.ts";

export type ProbeRequest = {
  readonly environment: ProjectEnvironment;
  readonly config: ServerWishes;
  /** If set, only this server is started. */
  readonly only?: string;
  /** The longest wait for one server. */
  readonly limitMs: number;
  readonly version: string;
  readonly signal: AbortSignal;
};

export type ProbedTool = { readonly name: string; readonly summary: string; readonly tokens: number };
export type ProbedServer = {
  readonly config: McpServerConfig;
  readonly state: McpServerState;
  readonly tools: readonly ProbedTool[];
};
export type Probe = {
  readonly servers: readonly ProbedServer[];
  readonly leftOut: readonly LeftOutServer[];
  readonly warnings: readonly string[];
  /** The names of all servers that would start in a session. */
  readonly names: readonly string[];
};

/**
 * Starts the servers of a project in parallel, reads what each server offers, and ends all servers.
 * @throws {UserFacingError} (exit 2) an option can't be read; the abort reason.
 */
export async function probeServers(request: ProbeRequest): Promise<Probe> {
  const { environment, config, only, limitMs, version, signal } = request;
  const found = await findServers(config, environment, signal);
  const wanted = found.servers.filter(({ name }) => only === undefined || name === only);
  const orphans = sessionOrphans(environment);
  const client = await wireMcp({
    servers: wanted.map((server) => ({ ...server, startMs: Math.min(server.startMs ?? limitMs, limitMs) })),
    ports: { signal },
    workspace: environment.workspace,
    environment,
    version,
    logins: openMcpLogins({ env: environment.env, own: environment.own, os: environment.machine.os }),
    orphans: orphans.watch,
  });
  try {
    await client.settled();
    signal.throwIfAborted();
    const servers = wanted.flatMap((server) => probed(client, server));
    return { servers, leftOut: found.leftOut, warnings: found.warnings, names: found.servers.map(({ name }) => name) };
  } finally {
    await client.close();
    await orphans.close();
  }
}

function probed(client: McpClient, config: McpServerConfig): readonly ProbedServer[] {
  const state = client.states.find(({ name }) => name === config.name);
  const tools = client.toolsOf(config.name).map(({ spec }) => ({
    name: spec.name,
    summary: spec.summary,
    tokens: declarationTokens(spec),
  }));
  return state ? [{ config, state, tools }] : [];
}
