import { formatCount } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import { padText } from "@quoll/terminal-text/truncate-text";
import type { Command, CommandResult, McpView } from "../contracts/command.ts";
import { nearestNames } from "../contracts/did-you-mean.ts";
import type { McpServerState } from "../contracts/mcp.ts";

type Tool = ReturnType<McpView["tools"]>[number];

const NONE = "There are no MCP servers. `--mcp-config` names files or JSON texts with servers.";

/** Lists MCP servers and their tools, and says which tools are deferred. */
export const mcpCommand: Command = {
  name: "mcp",
  summary: "List MCP servers, and which of their tools are deferred",
  argumentHint: "[server]",
  async run(argument, { mcp }) {
    const states = mcp?.states() ?? [];
    if (!mcp || states.length === 0) return { kind: "text", lines: [NONE] };
    if (argument !== "") return serverView(argument, mcp);
    const names = Math.max(...states.map(({ name }) => name.length));
    const tools = mcp.tools();
    return { kind: "text", lines: states.map((state) => `  ${padText(state.name, names)}  ${about(state, tools)}`) };
  },
};

function serverView(name: string, mcp: McpView): CommandResult {
  const state = mcp.states().find((one) => one.name === name);
  if (!state) {
    const known = mcp.states().map((one) => one.name);
    const [nearest] = nearestNames(name, known, 1);
    const hint = nearest === undefined ? `there are ${known.join(", ")}.` : `did you mean ${nearest}?`;
    return { kind: "text", lines: [`There is no MCP server "${name}"; ${hint}`] };
  }
  const tools = toolsOf(state, mcp.tools());
  const shown = tools.map((tool) => ({ ...tool, name: tool.name.slice(state.toolPrefix.length) }));
  const names = Math.max(0, ...shown.map((tool) => tool.name.length));
  const lines = shown.map(
    (tool) =>
      `  ${padText(tool.name, names)}  ${tool.isDeferred ? "deferred" : "loaded  "}  ${formatCount(tool.tokens).padStart(6)} tokens  ${tool.summary}`,
  );
  const notes = state.notes.map((note) => `  note: ${note}`);
  return {
    kind: "view",
    title: `MCP server ${name}`,
    lines: [about(state, mcp.tools()), ...notes, "", ...lines],
  };
}

function about(state: McpServerState, all: readonly Tool[]): string {
  if (state.status !== "connected") return [state.status, state.error].filter((part) => part !== undefined).join(": ");
  const tools = toolsOf(state, all);
  const sizes = (some: readonly Tool[]) =>
    `${plural(some.length, "tool")}, ${formatCount(some.reduce((sum, { tokens }) => sum + tokens, 0))} tokens`;
  const loaded = tools.filter(({ isDeferred }) => !isDeferred);
  const deferred = tools.filter(({ isDeferred }) => isDeferred);
  const parts = [
    ...(loaded.length > 0 ? [`${sizes(loaded)} in each request`] : []),
    ...(deferred.length > 0 ? [`${sizes(deferred)} deferred, found with ToolSearch`] : []),
  ];
  return `connected: ${parts.length > 0 ? parts.join("; ") : "no tools"}`;
}

function toolsOf({ toolPrefix }: McpServerState, all: readonly Tool[]): readonly Tool[] {
  return all.filter(({ name }) => name.startsWith(toolPrefix));
}
