import type { McpElicitation, McpElicitationReply, McpLink } from "../contracts/mcp.ts";
import type { Workspace } from "../contracts/ports.ts";
import type { Settings } from "../contracts/settings.ts";
import { systemClock } from "../platform/clock.ts";
import type { Environment } from "../platform/env.ts";
import { childEnvironment } from "../platform/processes/child-environment.ts";
import { withheldVariables } from "../platform/processes/credential-variables.ts";
import { OrphanWatch } from "../platform/processes/orphan-watch.ts";
import { createUserPath } from "../platform/processes/user-path.ts";
import { mcpLimits } from "../services/mcp/limits.ts";
import { McpClient } from "../services/mcp/mcp-client.ts";
import { readMcpConfigs } from "../services/mcp/read-configs.ts";

/** What a session is told of servers. */
export type McpRequest = {
  /** `--mcp-config`: paths of files, or JSON texts. */
  readonly configs: readonly string[];
  /** Servers that live in the program that drives us, by name. */
  readonly inProcess: readonly string[];
  /** Carries messages to those. */
  readonly link?: McpLink;
  elicit?(request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply>;
};

type McpWiring = {
  readonly request: McpRequest;
  readonly workspace: Workspace;
  readonly environment: Environment;
  readonly settings: Pick<Settings, "passedVariables">;
  readonly version: string;
  warn(line: string): void;
};

/**
 * Starts the servers of a session and waits until each has come or failed.
 * @throws {UserFacingError} (exit 2) a configuration can't be read.
 */
export async function wireMcp(wiring: McpWiring): Promise<McpClient> {
  const { request, workspace, environment, settings, version, warn } = wiring;
  const { signal } = new AbortController();
  const { servers, warnings } = await readMcpConfigs(request.configs, { cwd: workspace.cwd, environment }, signal);
  for (const warning of warnings) warn(warning);
  const userPath = createUserPath({ environment, clock: systemClock });
  const { link, elicit } = request;
  const client = new McpClient({
    clock: systemClock,
    limits: mcpLimits(environment),
    cwd: workspace.roots[0] ?? workspace.cwd,
    version,
    orphans: new OrphanWatch(environment),
    environment: async (tag) =>
      childEnvironment(environment, { path: await userPath(), tag, pass: settings.passedVariables }),
    withheld: () => withheldVariables(environment, settings.passedVariables),
    roots: () => workspace.roots,
    ...(link && { link }),
    ...(elicit && { elicit }),
  });
  client.add([
    ...servers,
    ...request.inProcess.map((name) => ({ name, isDisabled: false, kind: "sdk", server: name }) as const),
  ]);
  await client.settled();
  return client;
}
