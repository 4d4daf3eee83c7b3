import { describe, expect, test } from "bun:test";
import { mcpCommand } from "../../src/commands/mcp.ts";
import { APPROVE_ONLY, COMPARED } from "../../src/contracts/approval.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import { type CommandResult, linesOf } from "../../src/contracts/command-result.ts";
import type { McpServerState } from "../../src/contracts/mcp.ts";
import type { McpServerContents, McpView } from "../../src/contracts/mcp-view.ts";

const state = { kind: "stdio", scope: "user", tools: 2, notes: [] } as const;
const STATES: readonly McpServerState[] = [
  {
    ...state,
    name: "shop",
    status: "connected",
    toolPrefix: "mcp__shop__",
    notes: ["a tool was renamed"],
    resources: 1,
    prompts: 2,
  },
  { ...state, name: "web", status: "failed", error: "no such file", toolPrefix: "mcp__web__", tools: 0 },
  { ...state, name: "docs", status: "needs-auth", toolPrefix: "mcp__docs__", tools: 0 },
  { ...state, name: "mine", status: "connected", hasLogin: true, toolPrefix: "mcp__mine__", tools: 0 },
  { ...state, name: "off", status: "disabled", toolPrefix: "mcp__off__", tools: 0 },
];

const CONTENTS: McpServerContents = {
  resources: [
    { server: "shop", uri: "shop://prices", name: "prices", description: "What things cost", mimeType: "text/plain" },
    { server: "shop", uriTemplate: "shop://orders/{id}", name: "order" },
  ],
  prompts: [
    { command: "mcp__shop__status", hint: "<id> [tone]", description: "Asks about an order" },
    { command: "mcp__shop__look" },
  ],
  stderr: ["listening", "a slow query"],
};

/** A view that writes down what it was told to do. */
function view(done: string[] = []): McpView {
  return {
    known: async () => undefined,
    states: () => STATES,
    leftOut: () => [{ name: "db", scope: "project", reason: "new", why: "new in .mcp.json" }],
    tools: () => [
      { name: "mcp__shop__buy", summary: "Buys.", tokens: 1_500, isDeferred: true },
      { name: "mcp__shop__look", summary: "Looks.", tokens: 300, isDeferred: false },
    ],
    contents: (name) => (name === "shop" ? CONTENTS : { resources: [], prompts: [], stderr: [] }),
    reconnect: async (name) => done.push(`reconnect ${name}`) > 0,
    setEnabled: async (name, isEnabled) => done.push(`${isEnabled ? "enable" : "disable"} ${name}`) > 0,
    reload: async () => ({ added: ["shop"], removed: ["old"], warnings: [] }),
    pendingApproval: async (name) => (name === "db" ? { lines: ["starts db-server"], mark: "abc" } : undefined),
    logIn: async (name, _, signal) => {
      if (name === "web") throw new Error("it is unreachable");
      signal.throwIfAborted();
      return name === "shop" ? { line: "Logged in to shop." } : { address: "https://a.example/authorize?x=1" };
    },
    pasteLogin: async (name, address) => `Logged in to ${name} by ${address}.`,
    logOut: async (name) => `Logged out of ${name}.`,
    approve: async (name, mark) => {
      done.push(`approve ${name} ${mark}`);
      return { isApproved: mark === "abc" };
    },
  };
}

async function run(argument: string, mcp?: McpView): Promise<CommandResult> {
  const context = { ...(mcp && { mcp }) } as CommandContext;
  const { signal } = new AbortController();
  const result = await mcpCommand.run(argument, context, signal);
  return result.kind === "operation" ? result.run(() => undefined, signal) : result;
}

async function lines(argument: string, mcp?: McpView): Promise<readonly string[]> {
  const result = await run(argument, mcp);
  if (result.kind === "prompt" || result.kind === "operation") throw new Error(`It answered with ${result.kind}.`);
  return linesOf(result);
}

test("/mcp lists each server with its scope, its tools and tokens, or the reason why it is missing", async () => {
  const [shop, web, docs, , off, db] = await lines("", view());
  expect(shop).toMatch(/shop +user +connected: 1 tool, 300 tokens in each request; 1 tool, 1\.5k tokens deferred/);
  expect(web).toMatch(/web +user +failed: no such file/);
  expect(docs).toMatch(/docs +user +needs-auth/);
  expect(off).toMatch(/off +user +disabled/);
  expect(db).toMatch(/db +project +not started: new in \.mcp\.json/);
});

describe("/mcp with a server", () => {
  const choices = async (name: string) => {
    const result = await run(name, view());
    return result.kind === "choose" ? result.choices.map(({ input }) => input) : result.kind;
  };

  test("offers what can be done with it", async () => {
    expect(await choices("shop")).toEqual(
      ["tools", "resources", "prompts", "log", "reconnect", "disable"]
        .map((what) => `/mcp ${what} shop`)
        .concat("/mcp"),
    );
    expect(await choices("web")).toEqual(["/mcp log web", "/mcp reconnect web", "/mcp disable web", "/mcp"]);
    expect(await choices("docs")).toEqual([
      "/mcp login docs",
      "/mcp log docs",
      "/mcp reconnect docs",
      "/mcp disable docs",
      "/mcp",
    ]);
    expect(await choices("mine")).toEqual([
      "/mcp log mine",
      "/mcp reconnect mine",
      "/mcp login mine",
      "/mcp logout mine",
      "/mcp disable mine",
      "/mcp",
    ]);
    expect(await choices("off")).toEqual(["/mcp enable off", "/mcp"]);
    expect(await choices("db")).toEqual(["/mcp approve db", "/mcp"]);
  });

  test("logs in with the browser, or with the address that another browser ended on, and out", async () => {
    expect(await lines("login shop", view())).toEqual(["Logged in to shop."]);
    expect((await lines("login docs", view())).slice(0, 2)).toEqual([
      "Open this page in a browser to log in to docs:",
      "https://a.example/authorize?x=1",
    ]);
    expect(await lines("login docs http://localhost:1/callback?code=1", view())).toEqual([
      "Logged in to docs by http://localhost:1/callback?code=1.",
    ]);
    expect(await lines("login web", view())).toEqual(["Not logged in to web: it is unreachable."]);
    expect(await lines("logout mine", view())).toEqual(["Logged out of mine."]);
  });

  test("lists its tools and notes", async () => {
    for (const words of ["shop", "tools shop"]) {
      const text = (await lines(words, view())).join("\n");
      expect(text).toMatch(/buy +deferred +1\.5k tokens\n +Buys\.\n +look +loaded +300 tokens\n +Looks\./);
      expect(text).toContain("a tool was renamed");
    }
  });

  test("lists its resources and prompts as they are typed, and shows its log", async () => {
    expect((await lines("resources shop", view())).slice(0, 3)).toEqual([
      "Resources of shop",
      "  @shop:shop://prices (text/plain) – prices: What things cost",
      "  @shop:shop://orders/{id} (template) – order",
    ]);
    expect(await lines("prompts shop", view())).toEqual([
      "Prompts of shop",
      "  /mcp__shop__status <id> [tone]  Asks about an order",
      "  /mcp__shop__look",
    ]);
    expect(await lines("log shop", view())).toEqual([
      "Log of shop",
      "note: a tool was renamed",
      "stderr:",
      "  listening",
      "  a slow query",
    ]);
    expect(await lines("log web", view())).toEqual(["Log of web", "error: no such file"]);
    expect(await lines("resources mine", view())).toEqual([
      "Resources of mine",
      "The MCP server mine has no resources.",
    ]);
  });

  test("names the nearest one for a wrong name, and says how to add one where there is none", async () => {
    const wrong = 'There is no MCP server "shp". Did you mean shop?';
    await expect(lines("shp", view())).rejects.toThrow(wrong);
    await expect(lines("reconnect shp", view())).rejects.toThrow(wrong);
    await expect(lines("tools", view())).rejects.toThrow("and a server's name");
    expect((await lines(""))[0]).toContain("quoll mcp add");
  });
});

test("/mcp reconnects, disables, enables and reloads, and says how it ended", async () => {
  const done: string[] = [];
  expect(await lines("reconnect web", view(done))).toEqual(["The MCP server web is failed: no such file."]);
  expect(await lines("disable shop", view(done))).toEqual(["The MCP server shop is connected."]);
  await run("enable off", view(done));
  expect(done).toEqual(["reconnect web", "disable shop", "enable off"]);
  expect(await lines("reload", view())).toEqual([
    "The MCP server old was ended.",
    "The MCP server shop is connected.",
    "db is not started: new in .mcp.json.",
  ]);
});

test("/mcp approve shows the effect first, and approves only the content that was shown", async () => {
  const done: string[] = [];
  const asked = await run("approve db", view(done));
  if (asked.kind !== "choose") throw new Error(`It answered with ${asked.kind}.`);
  expect(asked.before).toEqual(["The MCP server db of this project:", "  starts db-server", COMPARED, APPROVE_ONLY]);
  expect(asked.choices.map(({ input }) => input)).toEqual(["", "/mcp approve db abc"]);
  expect((await run("approve db other", view(done))).kind).toBe("choose");
  expect(done).toEqual([]);
  await run("approve db abc", view(done));
  expect(done).toEqual(["approve db abc"]);
  expect((await lines("approve shop", view(done)))[0]).toContain("shop does not wait for approval");
});
