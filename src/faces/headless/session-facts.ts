import type { EngineState } from "../../contracts/engine.ts";
import type { McpServerState, McpServers } from "../../contracts/mcp.ts";
import type { WireLine } from "./wire-format.ts";
import { wireUsage } from "./wire-format.ts";

/** What is known of servers, in the names of the wire. */
export function wireServers(mcp: Pick<McpServers, "states" | "tools">): readonly WireLine[] {
  const tools = mcp.tools();
  return mcp.states.map((state) => {
    const { name, status, error, program, toolPrefix, kind } = state;
    const own = tools.filter(({ spec }) => spec.name.startsWith(toolPrefix));
    return {
      name,
      status,
      ...(error !== undefined && { error }),
      ...(program && { serverInfo: program }),
      scope: kind === "sdk" ? "sdk" : "dynamic",
      tools: own.map(({ spec }) => ({ name: spec.name.slice(toolPrefix.length), description: spec.description })),
    };
  });
}

/** As the first line of a turn lists servers. */
export function wireServerNames(states: readonly McpServerState[]): readonly WireLine[] {
  return states.map(({ name, status }) => ({ name, status }));
}

/** How full the window is: what the conversation takes, and what is free. */
export function wireContext({ usedTokens, windowTokens, model, usage }: EngineState): WireLine {
  const free = Math.max(0, windowTokens - usedTokens);
  return {
    categories: [
      { id: "messages", name: "Messages", tokens: usedTokens, color: "blue", kind: "used" },
      { id: "free_space", name: "Free", tokens: free, color: "gray", kind: "free" },
    ],
    totalTokens: usedTokens,
    maxTokens: windowTokens,
    rawMaxTokens: windowTokens,
    percentage: windowTokens > 0 ? Math.round((usedTokens / windowTokens) * 100) : 0,
    gridRows: [],
    model,
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    isAutoCompactEnabled: true,
    apiUsage: wireUsage(usage),
  };
}
