import type { Command } from "../contracts/command.ts";
import { withVerbs } from "./complete.ts";
import { MCP_VERBS } from "./mcp-verbs.ts";

/** Lists MCP servers, their tools and tokens, and reconnects, disables, enables and approves them. */
export const mcpCommand: Command = {
  name: "mcp",
  summary: "List MCP servers; log in, reconnect, disable or approve one",
  argumentHint: "[server]",
  async complete(typed, { mcp }) {
    const names = (mcp?.states() ?? []).map(({ name, status }) => ({ value: name, summary: status }));
    return withVerbs(typed, names, MCP_VERBS);
  },
  async run(argument, context) {
    const { runMcp } = await import("./run-mcp.ts");
    return runMcp(argument, context);
  },
};
