import { expect, test } from "bun:test";
import { mcpCommand } from "../../src/commands/mcp.ts";
import type { CommandContext, McpView } from "../../src/contracts/command.ts";

const state = { kind: "stdio", scope: "flag", tools: 2, notes: [] } as const;
const MCP: McpView = {
  states: () => [
    { ...state, name: "shop", status: "connected", toolPrefix: "mcp__shop__", notes: ["a tool was renamed"] },
    { ...state, name: "web", status: "failed", error: "no such file", toolPrefix: "mcp__web__" },
  ],
  leftOut: () => [],
  tools: () => [
    { name: "mcp__shop__buy", summary: "Buys.", tokens: 1_500, isDeferred: true },
    { name: "mcp__shop__look", summary: "Looks.", tokens: 300, isDeferred: false },
  ],
};
async function lines(argument: string, mcp?: McpView): Promise<readonly string[]> {
  const context = { ...(mcp && { mcp }) } as CommandContext;
  const result = await mcpCommand.run(argument, context, new AbortController().signal);
  if (result.kind !== "text" && result.kind !== "view") throw new Error(`It answered with ${result.kind}.`);
  return result.lines;
}

test("/mcp says of each server what its tools take, which are deferred, and why it is not there", async () => {
  const [shop, web] = await lines("", MCP);
  expect(shop).toMatch(/shop +connected: 1 tool, 300 tokens in each request; 1 tool, 1\.5k tokens deferred/);
  expect(web).toMatch(/web +failed: no such file/);
});

test("/mcp with a server lists its tools", async () => {
  const text = (await lines("shop", MCP)).join("\n");
  expect(text).toMatch(/buy +deferred +1\.5k tokens +Buys\.\n +look +loaded +300 tokens +Looks\./);
  expect(text).toContain("a tool was renamed");
});

test("/mcp names the nearest server for a wrong name, and says how to add one where there is none", async () => {
  expect(await lines("shp", MCP)).toEqual(['There is no MCP server "shp"; did you mean shop?']);
  expect((await lines(""))[0]).toContain("--mcp-config");
});
