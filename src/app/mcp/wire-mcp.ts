import type { McpElicitation, McpElicitationReply, McpLink } from "../../contracts/mcp.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { Workspace } from "../../contracts/ports.ts";
import type { Settings } from "../../contracts/settings.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Environment } from "../../platform/env.ts";
import { childEnvironment } from "../../platform/processes/child-environment.ts";
import { withheldVariables } from "../../platform/processes/credential-variables.ts";
import type { OrphanWatch } from "../../platform/processes/orphan-watch.ts";
import { createUserPath } from "../../platform/processes/user-path.ts";
import { parseMcpConfig } from "../../services/mcp/config/parse-config.ts";
import type { McpServerConfig } from "../../services/mcp/config/server-config.ts";
import type { ConnectionDeps } from "../../services/mcp/connection-deps.ts";
import { McpClient } from "../../services/mcp/mcp-client.ts";
import { mcpLimits } from "../../services/mcp/mcp-limits.ts";
import type { McpLogins } from "../../services/mcp/oauth/logins.ts";
import { forbiddenBy, type ServerPolicy } from "../../services/mcp/sources/server-policy.ts";
import { ListSizes } from "../../services/mcp/tools/list-sizes.ts";

/** The callbacks of MCP servers. */
export type McpPorts = {
  /** Carries messages to servers in the program that drives Quoll. */
  readonly link?: McpLink;
  /** Ends the servers, including those that are still starting. */
  readonly signal?: AbortSignal;
  elicit?(request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply>;
};

type McpWiring = {
  readonly servers: readonly McpServerConfig[];
  readonly ports: McpPorts;
  readonly workspace: Workspace;
  readonly environment: { readonly env: Environment; readonly settings: Pick<Settings, "passedVariables"> };
  readonly version: string;
  /** The person's logins to servers. */
  readonly logins?: McpLogins;
  /** The session's only watch for leftover processes. */
  orphans(): Promise<OrphanWatch>;
  /** Absent if the servers only say what they offer. */
  readonly ofSession?: SessionOfServers;
};

/** The session that uses the servers. */
type SessionOfServers = {
  /** Callbacks for the features of servers other than tools. */
  readonly features: Pick<ConnectionDeps, "saveContent" | "onResourceUpdated" | "onLog" | "sample">;
  /** The file for the sizes of tool lists; undefined if nothing is saved on disk. */
  readonly sizesFile: string | undefined;
  /** True if a server has changed since the person approved it; it is then not started. */
  isChanged(server: McpServerConfig): boolean;
  /** A promise to await before each server's program starts. */
  beforeServer(): Promise<void>;
};

/** Makes the client of a session with its first servers, and does not wait for them. @throws the abort reason. */
export async function wireMcp(wiring: McpWiring): Promise<McpClient> {
  const { servers, ports, workspace, version, orphans, logins, ofSession } = wiring;
  const { env: environment, settings } = wiring.environment;
  const { link, elicit, signal = new AbortController().signal } = ports;
  signal.throwIfAborted();
  const userPath = createUserPath({ environment, clock: systemClock });
  const client = new McpClient({
    clock: systemClock,
    limits: mcpLimits(environment),
    cwd: workspace.roots[0] ?? workspace.cwd,
    version,
    orphans: await orphans(),
    environment: async (tag) => {
      await ofSession?.beforeServer();
      return childEnvironment(environment, { path: await userPath(), tag, pass: settings.passedVariables });
    },
    ...(logins && { logins }),
    withheld: () => withheldVariables(environment, settings.passedVariables),
    roots: () => workspace.roots,
    ...(ofSession && { ...ofSession.features, isChanged: ofSession.isChanged }),
    ...(ofSession?.sizesFile !== undefined && { sizes: new ListSizes(ofSession.sizesFile) }),
    ...(link && { link }),
    ...(elicit && { elicit }),
  });
  // The signal is observed for the whole session, because servers may be added later.
  client.closeWith(signal);
  client.add(servers);
  return client;
}

type Naming = {
  readonly environment: Environment;
  readonly policy: ServerPolicy;
  /** The author of the servers, for messages. */
  readonly source?: string;
  notify(line: string): void;
};

/**
 * Reads the servers that a program adds during a session: an unusable entry, or an entry that the administrator
 * forbids, becomes an invalid server.
 * @throws {UserFacingError} the value is not a list of servers.
 */
export function namedServers(
  mcpServers: JsonObject,
  { environment, policy, source = "mcp_set_servers", notify }: Naming,
): readonly McpServerConfig[] {
  const { servers, warnings } = parseMcpConfig(JSON.stringify({ mcpServers }), {
    source,
    environment,
    scope: "program",
  });
  for (const warning of warnings) notify(warning);
  return servers.map((server) => {
    const problem = forbiddenBy(server, policy);
    return problem === undefined ? server : forbidden(server, problem);
  });
}

function forbidden({ name, kind }: McpServerConfig, problem: string): McpServerConfig {
  const intended = kind === "invalid" ? "stdio" : kind;
  return { name, scope: "program", isDisabled: false, kind: "invalid", intended, problem };
}
