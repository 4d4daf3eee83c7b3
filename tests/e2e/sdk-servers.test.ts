import { afterEach, describe, expect, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { createSdkMcpServer, type McpServerConfig, type SDKResultMessage, tool } from "@anthropic-ai/claude-agent-sdk";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { z } from "zod";
import { PIXEL } from "../services/mcp/servers/tool-server.ts";
import { ROOT } from "../support/built.ts";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { resultsIn } from "../support/quoll-process.ts";
import { ask, closeQueries, collect, place, resultOf, speech } from "../support/sdk-client.ts";

setDefaultTimeout(60_000);
afterEach(closeQueries);

describe("servers in the program", () => {
  const calc = () =>
    createSdkMcpServer({
      name: "calc",
      version: "1.0.0",
      tools: [
        tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, async ({ a, b }) => ({
          content: [{ type: "text", text: `${a + b}` }],
        })),
        tool("fail", "Always fails", {}, async () => {
          throw new Error("out of order");
        }),
      ],
    });

  deepTest("are listed, and their tools are called in the program", async () => {
    const calls = reply([toolUse("mcp__calc__add", { a: 40, b: 2 }), toolUse("mcp__calc__fail", {})]);
    await using here = await place([calls, reply("42.")]);
    const asked = ask(here, "add", { mcpServers: { calc: calc() }, allowedTools: ["mcp__calc__*"] });
    expect(await asked.mcpServerStatus()).toMatchObject([
      {
        name: "calc",
        status: "connected",
        tools: [{ name: "add", description: "Adds two numbers" }, { name: "fail" }],
      },
    ]);
    const messages = await collect(asked);
    expect(messages[0]).toMatchObject({ mcp_servers: [{ name: "calc", status: "connected" }] });
    expect(resultsIn(here.sent()[1])).toEqual(["42", expect.stringContaining("out of order")]);
    expect(resultOf(messages)).toMatchObject({ subtype: "success", result: "42." });
    expect(here.refused()).toEqual([]);
  });
});

describe("servers of their own", () => {
  eachOrDeep(
    "come by %s, and what they ask the person goes to the program",
    0,
    ["argv", "initialize"] as const,
    async (delivery) => {
      await using here = await place([reply([toolUse("mcp__asks__echo", {})]), reply("Done.")]);
      const server = join(ROOT, "tests/services/mcp/servers/raw-server.ts");
      const asked: unknown[] = [];
      const messages = await collect(
        ask(here, "go", {
          mcpServers: { asks: { type: "stdio", command: process.execPath, args: [server, "asks"] } },
          mcpServersDelivery: delivery,
          allowedTools: ["mcp__asks__echo"],
          onElicitation: async ({ serverName, message, mode }) => {
            asked.push({ serverName, message, mode });
            return { action: "accept", content: { name: "Quoll" } };
          },
        }),
      );
      expect(messages[0]).toMatchObject({ mcp_servers: [{ name: "asks", status: "connected" }] });
      expect(asked).toEqual([{ serverName: "asks", message: "Your name?", mode: "form" }]);
      expect(resultsIn(here.sent()[1])[0]).toContain('"901":{"action":"accept","content":{"name":"Quoll"}}');
    },
  );
});

describe("servers of a running session", () => {
  const raw = (behaviour = "plain"): McpServerConfig => ({
    type: "stdio",
    command: process.execPath,
    args: [join(ROOT, "tests/services/mcp/servers/raw-server.ts"), behaviour],
  });
  const clock = (time: string) =>
    createSdkMcpServer({
      name: "clock",
      tools: [tool("now", "Tells the time", {}, async () => ({ content: [{ type: "text", text: time }] }))],
    });

  deepTest(
    "come, are exchanged, switched off and on, and go; a tool that is gone stays in the list and says so",
    async () => {
      await using here = await place([
        reply([toolUse("mcp__clock__now", {})]),
        reply("Noon."),
        reply([toolUse("mcp__clock__now", {})]),
        reply("Gone."),
      ]);
      const words = speech();
      const asked = ask(here, words, { allowedTools: ["mcp__clock__now"] });
      expect(await asked.setMcpServers({ clock: clock("noon"), echo: raw(), bad: { command: "" } })).toEqual({
        added: expect.arrayContaining(["clock", "echo"]),
        removed: [],
        errors: { bad: expect.stringContaining("command") },
      });
      const statuses = async () =>
        (await asked.mcpServerStatus()).map(({ name, status }) => `${name} ${status}`).toSorted();
      expect(await statuses()).toEqual(["bad failed", "clock connected", "echo connected"]);
      words.say("what time is it?");
      const results: SDKResultMessage[] = [];
      for await (const message of asked) {
        if (message.type !== "result") continue;
        results.push(message);
        if (results.length === 2) {
          words.end();
          continue;
        }
        await asked.toggleMcpServer("echo", false);
        expect(await statuses()).toContain("echo disabled");
        await asked.toggleMcpServer("echo", true);
        await asked.reconnectMcpServer("echo");
        await expect(asked.toggleMcpServer("nowhere", true)).rejects.toThrow('there is no MCP server "nowhere"');
        await expect(asked.reconnectMcpServer("bad")).rejects.toThrow("bad");
        expect(await asked.setMcpServers({ echo: raw() })).toEqual({
          added: [],
          removed: expect.arrayContaining(["clock", "bad"]),
          errors: {},
        });
        expect(await statuses()).toEqual(["echo connected"]);
        words.say("and now?");
      }
      expect(resultsIn(here.sent()[1])).toEqual(["noon"]);
      expect(resultsIn(here.sent()[3]).at(-1)).toContain("mcp__clock__now is not available now");
      const names = here.sent().map(({ tools }) => tools.map((tool) => (tool as { readonly name: string }).name));
      expect(names[0]?.slice(-2).toSorted()).toEqual(["mcp__clock__now", "mcp__echo__echo"]);
      expect(new Set(names.map(String)).size).toBe(1);
      expect(here.refused()).toEqual([]);
    },
  );

  deepTest("of the command line stay when others are exchanged", async () => {
    await using here = await place([reply("Hi.")]);
    const words = speech();
    const asked = ask(here, words, { mcpServers: { fixed: raw(), clock: clock("noon") }, mcpServersDelivery: "argv" });
    await asked.initializationResult();
    expect(await asked.setMcpServers({})).toEqual({ added: [], removed: ["clock"], errors: {} });
    expect(await asked.mcpServerStatus()).toMatchObject([{ name: "fixed", status: "connected" }]);
    words.say("hi");
    words.end();
    expect(resultOf(await collect(asked))).toMatchObject({ subtype: "success" });
  });

  deepTest("give pictures as results", async () => {
    await using here = await place([reply([toolUse("mcp__cam__shot", {})]), reply("A dot.")]);
    const cam = createSdkMcpServer({
      name: "cam",
      tools: [
        tool("shot", "Takes a picture", {}, async () => ({
          content: [
            { type: "text", text: "here:" },
            { type: "image", data: PIXEL, mimeType: "image/png" },
          ],
        })),
      ],
    });
    await collect(ask(here, "look", { mcpServers: { cam }, allowedTools: ["mcp__cam__shot"] }));
    const content = here
      .sent()[1]
      ?.messages.at(-1)
      ?.content.find(({ type }) => type === "tool_result")?.content;
    expect(content).toEqual([
      { type: "text", text: "here:" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
    ]);
    expect(here.refused()).toEqual([]);
  });
});
