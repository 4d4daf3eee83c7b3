import type { McpServerState, McpServers } from "../../contracts/mcp.ts";
import type { WireLine } from "./wire-format.ts";

/** The states of MCP servers, with the names of this format. */
export function wireServers(mcp: Pick<McpServers, "states" | "tools">): readonly WireLine[] {
  const tools = mcp.tools();
  return mcp.states.map((state) => {
    const { name, status, error, program, toolPrefix, kind, scope } = state;
    const own = tools.filter(({ spec }) => spec.name.startsWith(toolPrefix));
    return {
      name,
      status,
      ...(error !== undefined && { error }),
      ...(program && { serverInfo: { name: program.name, version: program.version } }),
      scope: kind === "sdk" ? "sdk" : scope === "flag" || scope === "program" ? "dynamic" : scope,
      tools: own.map(({ spec }) => ({ name: spec.name.slice(toolPrefix.length), description: spec.description })),
    };
  });
}

/** The servers, in the form of a turn's first line. */
export function wireServerNames(states: readonly McpServerState[]): readonly WireLine[] {
  return states.map(({ name, status }) => ({ name, status }));
}
