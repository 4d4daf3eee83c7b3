import { join } from "node:path";
import type { SessionFolders } from "../../../contracts/session-actions.ts";
import { shortPath } from "../../../platform/directories.ts";
import type { McpClient } from "../../../services/mcp/mcp-client.ts";
import type { Agent } from "../../agent/open-agent.ts";
import type { SessionHooks } from "../../hooks/session-hooks.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

type Parts = {
  readonly environment: ProjectEnvironment;
  readonly main: Pick<Agent, "engine" | "permissions" | "workspace">;
  readonly hooks: Pick<SessionHooks, "fire">;
  readonly servers: { readonly client: Pick<McpClient, "rootsChanged"> | undefined };
};

/** The folders of a running session, to which the person adds. Rules, sandbox, instruction files and MCP servers follow. */
export function addedFolders(session: Parts): SessionFolders {
  const { environment, main, hooks } = session;
  const { workspace, permissions, engine } = main;
  const shown = (path: string) => shortPath(path, environment.own.home);
  return {
    list: () => workspace.roots.map(shown),
    async add(given) {
      const folder = given === "~" || given.startsWith("~/") ? join(environment.own.home, given.slice(1)) : given;
      const wasBroad = workspace.isBroad;
      const { path, isNew } = workspace.add?.(folder) ?? { path: folder, isNew: false };
      if (!isNew) return { path, isNew, lines: [`The session already works in ${shown(path)}.`] };
      // Relative deny and ask rules of settings apply in every folder.
      permissions.reloadRules(environment.rules, environment.settings.managedRulesOnly);
      engine.taskNews.addModelNote(
        `folder:${path}`,
        `The user added the folder ${JSON.stringify(path)} to the workspace: files there can be read and edited as those of the project.`,
      );
      session.servers.client?.rootsChanged();
      await hooks.fire({ event: "DirectoryAdded", directory: path, source: "slash_command" });
      const { isGiven } = permissions.consent();
      const lines = [
        `Added for this session: ${shown(path)}`,
        ...(isGiven ? ["Commands in the sandbox may change its files without a question."] : []),
        ...(workspace.isBroad && !wasBroad
          ? ["The folder contains more than one project, so Quoll also asks before reading."]
          : []),
      ];
      return { path, isNew, lines };
    },
  };
}
