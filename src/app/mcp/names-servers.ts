import type { SessionConfig } from "../../contracts/session-config.ts";
import { entryExists } from "../../platform/paths.ts";
import { type ServerFiles, serverFiles } from "../../services/mcp/sources/server-files.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

type EnvironmentKey =
  | "env"
  | "own"
  | "project"
  | "workspace"
  | "settings"
  | "rules"
  | "isTrusted"
  | "approvals"
  | "plugins"
  | "ownSettingsFile"
  | "managedSettingsFile";
export type ServerEnvironment = Pick<ProjectEnvironment, EnvironmentKey>;
export type ServerWishes = Pick<SessionConfig, "mcp" | "isBare" | "settingSources">;

export function filesOfServers({ own, project, ownSettingsFile, managedSettingsFile }: ServerEnvironment): ServerFiles {
  return serverFiles({ config: own.config, projectRoot: project.root, ownSettingsFile, managedSettingsFile });
}

/** True if a file or an option names servers; needs only a few file lookups. */
export function namesServers(config: ServerWishes, environment: ServerEnvironment): boolean {
  const { configs = [], inProcess = [] } = config.mcp ?? {};
  if (configs.length + inProcess.length > 0) return true;
  if (takesPlugins(config) && environment.plugins.some(({ servers }) => Object.keys(servers).length > 0)) return true;
  const files = filesOfServers(environment);
  return entryExists(files.managed) || scopesOf(config).some((scope) => entryExists(files[scope]));
}

/** False if only the servers of the command line are used. */
export function takesPlugins({ mcp, isBare }: ServerWishes): boolean {
  return !isBare && !mcp?.isStrict;
}

/** The user's and the project's scopes that are used, highest precedence first. */
export function scopesOf({ mcp, isBare, settingSources }: ServerWishes) {
  if (isBare || mcp?.isStrict) return [];
  const all = ["local", "project", "user"] as const;
  return settingSources ? all.filter((scope) => settingSources.includes(scope)) : all;
}
