import type { LeftOutServer } from "../../contracts/mcp.ts";
import { shortPath } from "../../platform/directories.ts";
import { entryExists } from "../../platform/paths.ts";
import { readMcpConfigs } from "../../services/mcp/config/read-configs.ts";
import type { McpServerConfig } from "../../services/mcp/config/server-config.ts";
import { readServerFile } from "../../services/mcp/sources/read-sources.ts";
import { type Candidate, type ServerApproval, selectServers } from "../../services/mcp/sources/select-servers.ts";
import type { ServerPolicy } from "../../services/mcp/sources/server-policy.ts";
import { serverApprovable } from "../../services/trust/server-approvable.ts";
import { pluginServerChecks, pluginServers } from "../plugins/plugin-servers.ts";
import { filesOfServers, type ServerEnvironment, type ServerWishes, scopesOf, takesPlugins } from "./names-servers.ts";

export type FoundServers = {
  /**
   * True if a server of the project or of an installed plugin, or a file that the server names, has changed since the
   * person approved it.
   */
  isChanged(server: McpServerConfig): boolean;
  readonly servers: readonly McpServerConfig[];
  readonly leftOut: readonly LeftOutServer[];
  readonly warnings: readonly string[];
};

/** The administrator's lists of servers. */
export function serverPolicy({ settings }: Pick<ServerEnvironment, "settings">): ServerPolicy {
  const { allowedMcpServers: allowed, deniedMcpServers: denied } = settings;
  return { ...(allowed && { allowed }), ...(denied && { denied }) };
}

/**
 * Collects the servers of a session from every source. The administrator's file excludes all others.
 * @throws {UserFacingError} (exit 2) a value of `--mcp-config` can't be read.
 */
export async function findServers(
  config: ServerWishes,
  environment: ServerEnvironment,
  signal: AbortSignal,
): Promise<FoundServers> {
  const { env, own, workspace, settings } = environment;
  const { configs = [], inProcess = [] } = config.mcp ?? {};
  const ofProgram = inProcess.map(inProgram);
  const files = filesOfServers(environment);
  const policy = serverPolicy({ settings });
  const approved = new Map<string, () => boolean>();
  const isChanged = ({ name, scope = "flag" }: McpServerConfig) => approved.get(`${scope} ${name}`)?.() === true;
  const read = (scope: "managed" | "local" | "project" | "user") =>
    readServerFile({
      scope,
      file: files[scope],
      source: scope === "project" ? ".mcp.json" : shortPath(files[scope], own.home),
      environment: env,
      ...(scope === "project" && { approval: (name, entry) => approvalOf(environment, { name, entry }, approved) }),
    });
  if (entryExists(files.managed)) {
    const managed = await read("managed");
    const ignored =
      configs.length > 0 ? [`--mcp-config is ignored: only the servers of ${files.managed} are used.`] : [];
    return {
      ...selectServers([...ofProgram, ...managed.candidates], policy),
      isChanged,
      warnings: [...managed.warnings, ...ignored],
    };
  }
  const given = await readMcpConfigs(configs, { cwd: workspace.cwd, environment: env }, signal);
  const flagged = given.servers.map((server): Candidate => ({ config: server, scope: "flag", source: "--mcp-config" }));
  const ofFiles = await Promise.all(scopesOf(config).map(read));
  if (takesPlugins(config))
    for (const [name, check] of pluginServerChecks(environment)) approved.set(`plugin ${name}`, check);
  const sources = takesPlugins(config) ? [...ofFiles, pluginServers(environment)] : ofFiles;
  const selection = selectServers(
    [...ofProgram, ...flagged, ...sources.flatMap(({ candidates }) => candidates)],
    policy,
  );
  const servers = environment.isTrusted
    ? selection.servers
    : selection.servers.map((server) => atHome(server, own.home));
  return {
    ...selection,
    servers,
    isChanged,
    warnings: [...given.warnings, ...sources.flatMap(({ warnings }) => warnings)],
  };
}

/** Scopes of servers that the person wrote: in settings, and in the agents' files. */
const OF_PERSON: ReadonlySet<McpServerConfig["scope"]> = new Set(["user", "program"]);

/**
 * In an untrusted folder, a program that searches the folders around it (`npx`) must not find the project's programs.
 */
export function atHome(server: McpServerConfig, home: string): McpServerConfig {
  return server.kind === "stdio" && OF_PERSON.has(server.scope) && server.cwd === undefined
    ? { ...server, cwd: home }
    : server;
}

function inProgram(name: string): Candidate {
  const config = { name, scope: "program", isDisabled: false, kind: "sdk", server: name } as const;
  return { config, scope: "program", source: "the program that drives Quoll" };
}

/** Adds a check to `approved` that detects whether the content has changed since. */
function approvalOf(
  { isTrusted, project, approvals }: ServerEnvironment,
  { name, entry }: { readonly name: string; readonly entry: unknown },
  approved: Map<string, () => boolean>,
): ServerApproval {
  if (!isTrusted) return "untrusted";
  const itemNow = () => serverApprovable({ name, entry, file: ".mcp.json" }, project.root);
  const item = itemNow();
  approved.set(`project ${name}`, () => itemNow().content !== item.content);
  return approvals.state(item);
}
