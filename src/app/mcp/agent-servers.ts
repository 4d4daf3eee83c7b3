import { lazy } from "@quoll/async/lazy";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Settings } from "../../contracts/settings.ts";
import type { ToolDeferral } from "../../contracts/tool-offer.ts";
import type { Environment } from "../../platform/env.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { AgentServers } from "../session/session-parts.ts";
import type { LateServers } from "./connect-servers.ts";

/** @param servers The session's servers; undefined before they are made. */
export function agentServers(
  { app, environment }: { readonly app: { readonly clock: Clock }; readonly environment: ProjectEnvironment },
  servers: () => LateServers | undefined,
): AgentServers {
  const leased = lazy(async () => {
    const { LeasedServers } = await import("./leased-servers.ts");
    return new LeasedServers(environment, servers);
  });
  return {
    deferral: {
      deferral: resolveDeferral(environment.settings, environment.env),
      pending: () => servers()?.client?.pending() ?? [],
      purposeOf: (prefix) => servers()?.client?.purposeOf(prefix),
      listed: async (signal) => {
        await servers()?.known();
        await servers()?.client?.listed(signal);
      },
    },
    texts: (hasTool) => servers()?.features?.texts(hasTool) ?? "",
    attach: async (words, signal) => {
      if (!words.includes("@")) return [];
      await servers()?.known();
      return (await servers()?.features?.attach(words, signal)) ?? [];
    },
    require: async (names, signal) =>
      (await import("./require-servers.ts")).requireServers(names, servers(), { clock: app.clock, signal }),
    lease: async (definition) => (await leased()).lease(definition),
    giveBack: async (definition) => (await leased()).giveBack(definition),
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
