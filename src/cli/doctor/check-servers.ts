import { findServers } from "../../app/mcp/find-servers.ts";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import type { Check } from "../../contracts/doctor.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { McpServerConfig } from "../../services/mcp/config/server-config.ts";
import { isProgramMissing } from "../mcp/missing-program.ts";

const HINT: Check = { name: "not asked", level: "unasked", text: "`quoll mcp list` starts and checks the servers." };

/** Checks the MCP servers of a session here, without starting or contacting any. */
export async function checkServers(
  environment: ProjectEnvironment,
  configs: readonly string[],
  signal: AbortSignal,
): Promise<readonly Check[]> {
  try {
    const { servers, leftOut, warnings } = await findServers({ mcp: { configs, inProcess: [] } }, environment, signal);
    const listed = servers.map((server) => checkServer(server, environment.env["PATH"] ?? ""));
    const left = leftOut.map(({ name, why }): Check => ({ name, level: "unasked", text: `not started: ${why}` }));
    const told = warnings.map((text): Check => ({ name: "config", level: "warning", text }));
    const all = [...listed, ...left, ...told, ...(listed.some(({ level }) => level === "unasked") ? [HINT] : [])];
    return all.length > 0 ? all : [{ name: "servers", level: "ok", text: "no server is configured" }];
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error;
    return [{ name: "config", level: "problem", text: error.message }];
  }
}

/** Only the program and the host are shown, because addresses and arguments may contain a key. */
function checkServer(server: McpServerConfig, path: string): Check {
  const { name, kind, isDisabled } = server;
  const off = isDisabled ? ", disabled" : "";
  switch (kind) {
    case "invalid":
      return { name, level: "warning", text: server.problem };
    case "stdio": {
      const { command } = server;
      const [program] = command.trim().split(/\s/);
      if (server.cwd !== undefined || !isProgramMissing(command, path))
        return { name, level: "unasked", text: `${program}${off} (not started)` };
      return {
        name,
        level: "warning",
        text: `its program ${program} was not found`,
        fix: "Install the program, or correct its path.",
      };
    }
    case "sdk":
      return { name, level: "unasked", text: "in the program that drives Quoll" };
    default: {
      const host = URL.canParse(server.url) ? new URL(server.url).host : "an unusable address";
      return { name, level: "unasked", text: `${kind} at ${host}${off} (not asked)` };
    }
  }
}
