import { join } from "node:path";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import type { Check } from "../../contracts/doctor.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { entryExists } from "../../platform/paths.ts";
import { executable, findProgram } from "../../platform/processes/find-program.ts";
import { readMcpConfigs } from "../../services/mcp/read-configs.ts";
import type { McpServerConfig } from "../../services/mcp/server-config.ts";

/** Checks the MCP servers of `--mcp-config`, without starting or contacting any. */
export async function checkServers(
  { env, project, workspace }: ProjectEnvironment,
  configs: readonly string[],
  signal: AbortSignal,
): Promise<readonly Check[]> {
  try {
    const { servers, warnings } = await readMcpConfigs(configs, { cwd: workspace.cwd, environment: env }, signal);
    const listed = servers.map((server) => checkServer(server, env["PATH"] ?? ""));
    const told = warnings.map((text): Check => ({ name: "config", level: "warning", text }));
    return listed.length + told.length > 0 ? [...listed, ...told] : [noServers(project.root)];
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error;
    return [{ name: "config", level: "problem", text: error.message }];
  }
}

function noServers(root: string): Check {
  const isThere = entryExists(join(root, ".mcp.json"));
  const hint = isThere ? "; this project's .mcp.json counts only with --mcp-config .mcp.json" : "";
  return { name: "servers", level: "ok", text: `no server is named with --mcp-config${hint}` };
}

/** Only the program and the host are shown, since addresses and arguments may hold a key. */
function checkServer(server: McpServerConfig, path: string): Check {
  const { name, kind, isDisabled } = server;
  const off = isDisabled ? ", disabled" : "";
  switch (kind) {
    case "invalid":
      return { name, level: "warning", text: server.problem };
    case "stdio": {
      const { command } = server;
      const [program] = command.trim().split(/\s/);
      const file = command.includes("/") ? executable(command) : findProgram(command, path);
      if (file !== undefined || server.cwd !== undefined)
        return { name, level: "ok", text: `${program}${off} (not started)` };
      return {
        name,
        level: "warning",
        text: `its program ${program} was not found`,
        fix: "Install it, or correct its path.",
      };
    }
    case "sdk":
      return { name, level: "ok", text: "in the program that drives Quoll" };
    default: {
      const host = URL.canParse(server.url) ? new URL(server.url).host : "an unusable address";
      return { name, level: "ok", text: `${kind} at ${host}${off} (not asked)` };
    }
  }
}
