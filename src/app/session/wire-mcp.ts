import type { McpElicitation, McpElicitationReply, McpLink } from "../../contracts/mcp.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { Workspace } from "../../contracts/ports.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Settings } from "../../contracts/settings.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Environment } from "../../platform/env.ts";
import { childEnvironment } from "../../platform/processes/child-environment.ts";
import { withheldVariables } from "../../platform/processes/credential-variables.ts";
import type { OrphanWatch } from "../../platform/processes/orphan-watch.ts";
import { createUserPath } from "../../platform/processes/user-path.ts";
import { mcpLimits } from "../../services/mcp/limits.ts";
import { ListSizes } from "../../services/mcp/list-sizes.ts";
import { McpClient } from "../../services/mcp/mcp-client.ts";
import { parseMcpConfig } from "../../services/mcp/parse-config.ts";
import { readMcpConfigs } from "../../services/mcp/read-configs.ts";

/** The callbacks of MCP servers. */
export type McpPorts = {
  /** Carries messages to servers in the program that drives Quoll. */
  readonly link?: McpLink;
  /** Ends the servers, including those that are still starting. */
  readonly signal?: AbortSignal;
  elicit?(request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply>;
};

type McpWiring = {
  readonly servers: NonNullable<SessionConfig["mcp"]>;
  readonly ports: McpPorts;
  readonly workspace: Workspace;
  readonly environment: Environment;
  readonly settings: Pick<Settings, "passedVariables">;
  readonly version: string;
  /** The file for the sizes of tool lists; absent if nothing is saved on disk. */
  readonly sizesFile?: string;
  warn(line: string): void;
  /** The one watch of the session. */
  orphans(): Promise<OrphanWatch>;
  /** A promise to await before each server's program starts. */
  beforeServer?(): Promise<void>;
};

/**
 * Starts the servers of a session and waits until each is connected or has failed, except for servers in the
 * background.
 * @throws {UserFacingError} (exit 2) a configuration can't be read; the abort reason.
 */
export async function wireMcp(wiring: McpWiring): Promise<McpClient> {
  const {
    servers: wanted,
    ports,
    workspace,
    environment,
    settings,
    version,
    warn,
    beforeServer,
    orphans,
    sizesFile,
  } = wiring;
  const { link, elicit, signal = new AbortController().signal } = ports;
  const { servers, warnings } = await readMcpConfigs(wanted.configs, { cwd: workspace.cwd, environment }, signal);
  for (const warning of warnings) warn(warning);
  signal.throwIfAborted();
  const userPath = createUserPath({ environment, clock: systemClock });
  const client = new McpClient({
    clock: systemClock,
    limits: mcpLimits(environment),
    cwd: workspace.roots[0] ?? workspace.cwd,
    version,
    orphans: await orphans(),
    environment: async (tag) => {
      await beforeServer?.();
      return childEnvironment(environment, { path: await userPath(), tag, pass: settings.passedVariables });
    },
    withheld: () => withheldVariables(environment, settings.passedVariables),
    roots: () => workspace.roots,
    ...(sizesFile !== undefined && { sizes: new ListSizes(sizesFile) }),
    ...(link && { link }),
    ...(elicit && { elicit }),
  });
  // The wait lasts for the whole session, because it includes servers that are named later.
  client.closeWith(signal);
  client.add([
    ...servers,
    ...wanted.inProcess.map((name) => ({ name, isDisabled: false, kind: "sdk", server: name }) as const),
  ]);
  if (!wanted.isInBackground) await client.settled();
  if (!signal.aborted) return client;
  await client.close();
  throw signal.reason;
}

/**
 * Reads the servers that a program names while a session runs: an unusable entry becomes an invalid server.
 * @throws {UserFacingError} the value is not a list of servers.
 */
export function namedServers(mcpServers: JsonObject, { environment, warn }: Pick<McpWiring, "environment" | "warn">) {
  const { servers, warnings } = parseMcpConfig(JSON.stringify({ mcpServers }), {
    source: "mcp_set_servers",
    environment,
  });
  for (const warning of warnings) warn(warning);
  return servers;
}
