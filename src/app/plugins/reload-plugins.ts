import { oneLine } from "@quoll/terminal-text/one-line";
import type { PluginReload } from "../../contracts/plugin.ts";
import { EXTENSION_FOLDERS, pluginFolders } from "../content-folders.ts";
import type { OpenedSession } from "../session/opened-session.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { ApproveSkill } from "../skills/skill-permissions.ts";
import type { PluginChanges } from "./live-plugins.ts";
import { isInstalled, pluginApprovals } from "./plugin-folders.ts";
import { pluginSkillItems } from "./plugin-skill-hooks.ts";

const MAX_LINE_COLUMNS = 300;

type UsedPart = "config" | "environment" | "skills" | "delegation" | "approveSkill" | "hooks" | "servers";
export type ReloadParts = Pick<OpenedSession, UsedPart>;

/**
 * Reads the plugins of a running session again. The plugins' parts take effect at once, except for extensions. A plugin
 * that only the project enables takes effect after the same question as at the start; if nobody can answer, a line
 * names the plugin.
 */
export async function reloadPlugins(parts: ReloadParts, signal: AbortSignal): Promise<PluginReload> {
  const { config, environment, skills, delegation, approveSkill } = parts;
  await environment.live.refresh();
  const before = environment.plugins;
  const ask =
    config.answerer === "person" ? (item: Parameters<ApproveSkill>[0]) => approveSkill(item, signal) : undefined;
  const changes = await environment.reloadPlugins(ask);
  await parts.hooks.replace(environment.hooksOf(environment.live.loaded));
  await skills.refresh();
  await delegation.types.refresh();
  const servers = parts.servers;
  const haveServers = [...before, ...environment.plugins].some((plugin) => Object.keys(plugin.servers).length > 0);
  const { warnings } = haveServers ? await servers.reload(["plugin"]) : { warnings: [] };
  const failed = (servers.client?.states ?? []).filter(
    ({ name, status }) => name.startsWith("plugin:") && status === "failed",
  );
  const broken = failed.map(({ name, error }) => `the MCP server ${name} is not available: ${error ?? "it failed"}`);
  const problems = [...changes.problems, ...warnings, ...broken];
  const moved = [...changes.added, ...changes.removed, ...changes.changed];
  const later = [...before, ...environment.plugins].filter(
    (plugin) => moved.includes(plugin.id) && pluginFolders(plugin, EXTENSION_FOLDERS).length > 0,
  );
  return {
    lines: [
      summaryLine(changes, environment.plugins.length),
      ...changes.waiting.map(waitingLine),
      ...(await openSkillLines(environment)),
      ...[...new Set(later.map(({ id }) => id))].map((id) => `The extensions of ${id} change at the next start.`),
      ...problems.map((line) => `${line.charAt(0).toUpperCase()}${line.slice(1)}.`),
    ],
    errorCount: problems.length,
  };
}

function summaryLine({ added, removed, changed }: PluginChanges, count: number): string {
  const parts = [
    ...(added.length > 0 ? [`now in use: ${added.join(", ")}`] : []),
    ...(removed.length > 0 ? [`no longer in use: ${removed.join(", ")}`] : []),
    ...(changed.length > 0 ? [`changed: ${changed.join(", ")}`] : []),
  ];
  if (parts.length > 0) return `Plugins reloaded; ${parts.join("; ")}.`;
  return count === 0 ? "Plugins reloaded: no plugin is in use." : "Plugins reloaded: nothing to add or remove.";
}

/** One line for each skill of an installed plugin whose current content the person has not approved. */
async function openSkillLines({ plugins, own }: ProjectEnvironment): Promise<readonly string[]> {
  const installed = plugins.filter((plugin) => isInstalled(plugin, own));
  if (installed.length === 0) return [];
  const approvals = await pluginApprovals(own);
  const items = (await Promise.all(installed.map(pluginSkillItems))).flat();
  return items
    .filter((item) => ["new", "changed"].includes(approvals.state(item)))
    .map(({ name }) =>
      oneLine(`The skill ${name} is new or has changed: its next use asks for your approval.`, MAX_LINE_COLUMNS),
    );
}

function waitingLine(id: string): string {
  return `The project asks for the plugin ${id}, which waits for your approval: start quoll in this folder to see what it may do.`;
}
