import type { Plugin } from "../../contracts/plugin.ts";
import type { Directories } from "../../platform/directories.ts";
import type { Environment } from "../../platform/env.ts";
import { parseMcpConfig } from "../../services/mcp/config/parse-config.ts";
import type { ReadSource } from "../../services/mcp/sources/read-sources.ts";
import type { Candidate } from "../../services/mcp/sources/select-servers.ts";
import { isInstalled } from "./plugin-folders.ts";
import { pluginServerContent } from "./plugin-programs.ts";

export type PluginServerEnvironment = {
  readonly plugins: readonly Plugin[];
  readonly env: Environment;
  readonly project: { readonly root: string };
};

/** The MCP servers of plugins. The server `db` of the plugin `shop` is called `plugin:shop:db`. */
export function pluginServers({ plugins, env, project }: PluginServerEnvironment): ReadSource {
  const sources = plugins.map((plugin) => serversOf(plugin, env, project.root));
  return {
    candidates: sources.flatMap(({ candidates }) => candidates),
    warnings: sources.flatMap(({ warnings }) => warnings),
  };
}

/**
 * For each server of an installed plugin: true if the server, or a file that it names, has changed since the approval.
 */
export function pluginServerChecks({
  plugins,
  own,
}: Pick<PluginServerEnvironment, "plugins"> & { readonly own: Directories }): ReadonlyMap<string, () => boolean> {
  const installed = plugins.filter((plugin) => isInstalled(plugin, own));
  return new Map(
    installed.flatMap(({ name, root, servers }) =>
      Object.entries(servers).map(([server, entry]) => {
        const content = () => pluginServerContent(server, entry, root);
        const before = content();
        return [serverName(name, server), () => content() !== before] as const;
      }),
    ),
  );
}

function serverName(plugin: string, server: string): string {
  return `plugin:${plugin}:${server}`;
}

function serversOf({ name, root, data, servers }: Plugin, env: Environment, projectRoot: string): ReadSource {
  const entries = Object.entries(servers).map(([server, entry]) => [serverName(name, server), entry]);
  if (entries.length === 0) return { candidates: [], warnings: [] };
  const source = `the plugin ${name}`;
  const folders = folderVariables({ PLUGIN_ROOT: root, PLUGIN_DATA: data });
  const environment = { ...env, ...folders, ...folderVariables({ PROJECT_DIR: projectRoot }) };
  const text = JSON.stringify({ mcpServers: Object.fromEntries(entries) });
  const parsed = parseMcpConfig(text, { source, environment, scope: "plugin" });
  const candidates = parsed.servers.map((config): Candidate => {
    const started = config.kind === "stdio" ? { ...config, env: { ...folders, ...config.env } } : config;
    return { config: started, scope: "plugin", source };
  });
  return { candidates, warnings: parsed.warnings };
}

function folderVariables(folders: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(folders).flatMap(([name, folder]) => [
      [`CLAUDE_${name}`, folder],
      [`QUOLL_${name}`, folder],
    ]),
  );
}
