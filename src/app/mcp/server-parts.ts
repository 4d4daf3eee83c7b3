import { once } from "@quoll/async/once";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Settings } from "../../contracts/settings.ts";
import type { ToolDeferral } from "../../contracts/tool-offer.ts";
import type { Environment } from "../../platform/env.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";
import type { AgentParts } from "../agent/agent-parts.ts";
import type { SessionImages } from "../session/actions/session-images.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { LateServers } from "./connect-servers.ts";

/** The parts of a session that are opened after its first agent. */
export type LateParts = { servers?: LateServers };

/** The agent's parts that come from servers (which start after the agent), and the images that a prompt names. */
export function serverParts(
  late: Readonly<LateParts>,
  place: ProjectEnvironment,
  { clock, images }: { readonly clock: Clock; readonly images: Pick<SessionImages, "attach"> },
): Pick<AgentParts, "deferral" | "serverTexts" | "attach" | "requireServers" | "leaseServers" | "returnServers"> {
  const { settings, env } = place;
  const leased = once(async () => {
    const { LeasedServers } = await import("./leased-servers.ts");
    return new LeasedServers(place, () => late.servers);
  });
  return {
    leaseServers: async (definition) => (await leased()).lease(definition),
    returnServers: async (definition) => (await leased()).giveBack(definition),
    requireServers: async (names, signal) =>
      (await import("./require-servers.ts")).requireServers(names, late.servers, { clock, signal }),
    deferral: {
      deferral: resolveDeferral(settings, env),
      pending: () => late.servers?.client?.pending() ?? [],
      purposeOf: (prefix) => late.servers?.client?.purposeOf(prefix),
      listed: async (signal) => {
        await late.servers?.known();
        await late.servers?.client?.listed(signal);
      },
    },
    serverTexts: (hasTool) => late.servers?.features?.texts(hasTool) ?? "",
    attach: async (words, signal) => {
      const pasted = await images.attach(words);
      if (!words.includes("@")) return pasted;
      await late.servers?.known();
      return [...pasted, ...((await late.servers?.features?.attach(words, signal)) ?? [])];
    },
  };
}

/** The features of the servers that a session offers. */
export function serverPorts(servers: LateServers) {
  return {
    openServers: () => servers.open(),
    startServers: () => servers.start(),
    firstServers: servers,
    onServers: (listener: (client: McpClient) => void) => servers.onClient(listener),
  };
}

const VARIABLE = "ENABLE_TOOL_SEARCH";
const WORDS: ReadonlyMap<string, ToolDeferral> = new Map([
  ["auto", "auto"],
  ["always", "always"],
  ["true", "always"],
  ["never", "never"],
  ["false", "never"],
]);

/**
 * Decides when MCP tools and rare tools are deferred: by the setting, otherwise by the variable.
 * @throws {UserFacingError} (exit 2) the variable has an unknown value.
 */
function resolveDeferral({ tools }: Pick<Settings, "tools">, environment: Environment): ToolDeferral {
  const text = tools.defer ?? environment[VARIABLE]?.trim();
  if (text === undefined || text === "") return "auto";
  const percent = /^auto:(\d{1,3})$/.exec(text)?.[1];
  const known = percent === undefined ? WORDS.get(text) : { percent: Number(percent) };
  if (known) return known;
  throw new UserFacingError(
    `${VARIABLE} is "${text.slice(0, 40)}": it must be true, false, auto, or auto:N with a percentage of the window.`,
    2,
  );
}
