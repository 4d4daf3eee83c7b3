import type { McpElicitation, McpElicitationReply, McpLink } from "../contracts/mcp.ts";
import type { JsonObject } from "../contracts/message.ts";
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
import { parseMcpConfig } from "../services/mcp/parse-config.ts";
import { readMcpConfigs } from "../services/mcp/read-configs.ts";

/** What a session is told of servers. */
export type McpRequest = {
  /** `--mcp-config`: paths of files, or JSON texts. */
  readonly configs: readonly string[];
  /** Servers that live in the program that drives us, by name. */
  readonly inProcess: readonly string[];
  /** True: nobody waits for them here; the client's states tell how far they are. */
  readonly isInBackground?: boolean;
  /** Carries messages to those. */
  readonly link?: McpLink;
  /** Ends the servers, also those that are still waited for. */
  readonly signal?: AbortSignal;
  elicit?(request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply>;
};

type McpWiring = {
  readonly request: McpRequest;
  readonly workspace: Workspace;
  readonly environment: Environment;
  readonly settings: Pick<Settings, "passedVariables">;
  readonly version: string;
  warn(line: string): void;
  /** Awaited before each server's program starts. */
  beforeServer?(): Promise<void>;
};

/**
 * Starts the servers of a session and, but for those in the background, waits until each has come or failed.
 * @throws {UserFacingError} (exit 2) a configuration can't be read; the abort reason.
 */
export async function wireMcp(wiring: McpWiring): Promise<McpClient> {
  const { request, workspace, environment, settings, version, warn, beforeServer } = wiring;
  const { signal = new AbortController().signal } = request;
  const { servers, warnings } = await readMcpConfigs(request.configs, { cwd: workspace.cwd, environment }, signal);
  for (const warning of warnings) warn(warning);
  signal.throwIfAborted();
  const userPath = createUserPath({ environment, clock: systemClock });
  const { link, elicit } = request;
  const client = new McpClient({
    clock: systemClock,
    limits: mcpLimits(environment),
    cwd: workspace.roots[0] ?? workspace.cwd,
    version,
    orphans: new OrphanWatch(environment),
    environment: async (tag) => {
      await beforeServer?.();
      return childEnvironment(environment, { path: await userPath(), tag, pass: settings.passedVariables });
    },
    withheld: () => withheldVariables(environment, settings.passedVariables),
    roots: () => workspace.roots,
    ...(link && { link }),
    ...(elicit && { elicit }),
  });
  // As long as the session lives: servers that are named later are waited for too.
  signal.addEventListener("abort", () => void client.close(), { once: true });
  client.add([
    ...servers,
    ...request.inProcess.map((name) => ({ name, isDisabled: false, kind: "sdk", server: name }) as const),
  ]);
  if (!request.isInBackground) await client.settled();
  if (!signal.aborted) return client;
  await client.close();
  throw signal.reason;
}

/**
 * Servers as a program names them while a session runs: an entry that can't be used is an invalid server.
 * @throws {UserFacingError} it is no list of servers.
 */
export function namedServers(mcpServers: JsonObject, { environment, warn }: Pick<McpWiring, "environment" | "warn">) {
  const { servers, warnings } = parseMcpConfig(JSON.stringify({ mcpServers }), {
    source: "mcp_set_servers",
    environment,
  });
  for (const warning of warnings) warn(warning);
  return servers;
}
