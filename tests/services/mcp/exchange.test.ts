import { expect, test } from "bun:test";
import type { McpServerConfig } from "../../../src/services/mcp/config/server-config.ts";
import { deepTest } from "../../support/deep.ts";
import { mcpHarness, rawServer } from "./mcp-harness.ts";

const names = (mcp: { client: { states: readonly { name: string; status: string }[] } }) =>
  mcp.client.states.map(({ name, status }) => `${name} ${status}`);
const sdk = (name: string): McpServerConfig => ({ name, isDisabled: false, kind: "sdk", server: name });
const broken: McpServerConfig = {
  name: "broken",
  isDisabled: false,
  kind: "invalid",
  intended: "stdio",
  problem: "no",
};

deepTest("an exchange adds new servers, ends those of the earlier exchange, and keeps equal ones", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(rawServer("fixed"));
  expect(await mcp.client.exchange([rawServer("one"), rawServer("two"), broken])).toEqual({
    added: ["one", "two", "broken"],
    removed: [],
    errors: { broken: "no" },
  });
  const before = mcp.alive().map(({ pid }) => pid);
  const other = rawServer("two", "asks");
  expect(await mcp.client.exchange([rawServer("one"), other])).toEqual({
    added: ["two"],
    removed: ["two", "broken"],
    errors: {},
  });
  expect(names(mcp).toSorted()).toEqual(["fixed connected", "one connected", "two connected"]);
  expect(mcp.client.tools().some(({ spec }) => spec.name.startsWith("mcp__two__"))).toBe(true);
  const after = mcp.alive().map(({ pid }) => pid);
  expect(before.filter((pid) => after.includes(pid))).toHaveLength(2);
  expect(await mcp.client.exchange([])).toEqual({ added: [], removed: ["one", "two"], errors: {} });
  expect(names(mcp)).toEqual(["fixed connected"]);
});

test("an exchange owns the servers it names, and in-process servers were owned before", async () => {
  await using mcp = await mcpHarness({ link: () => Promise.reject(new Error("no such server")) });
  await mcp.start(rawServer("fixed"), sdk("inside"));
  expect(await mcp.client.exchange([rawServer("fixed")])).toEqual({ added: [], removed: ["inside"], errors: {} });
  expect(await mcp.client.exchange([])).toEqual({ added: [], removed: ["fixed"], errors: {} });
  expect(mcp.client.states).toEqual([]);
});

test("a server in the program that stays is spoken to anew: it may be another one", async () => {
  const asked: unknown[] = [];
  await using mcp = await mcpHarness({
    link: (_, message) => {
      asked.push(message["method"]);
      return Promise.reject(new Error("not today"));
    },
  });
  await mcp.start(sdk("inside"));
  const errors = { inside: "error -32603: not today" };
  expect(await mcp.client.exchange([sdk("inside")])).toEqual({ added: [], removed: [], errors });
  expect(asked).toEqual(["initialize", "initialize"]);
});

test("exchanges at the same time come one after the other", async () => {
  await using mcp = await mcpHarness();
  const [first, second] = await Promise.all([
    mcp.client.exchange([rawServer("one")]),
    mcp.client.exchange([rawServer("two")]),
  ]);
  expect([first.added, second.added, second.removed]).toEqual([["one"], ["two"], ["one"]]);
  expect(names(mcp)).toEqual(["two connected"]);
});

deepTest(
  "a server that is switched off is gone with its tools and its process, and comes back under the same names",
  async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("one"), broken);
    const tools = mcp.client.tools().map(({ spec }) => spec.name);
    expect(tools.length).toBeGreaterThan(0);
    expect(await mcp.client.setEnabled("one", false)).toBe(true);
    expect([names(mcp)[0], mcp.client.tools(), mcp.alive()]).toEqual(["one disabled", [], []]);
    await mcp.client.reconnect("one");
    expect(names(mcp)[0]).toBe("one disabled");
    await mcp.client.setEnabled("one", true);
    expect(names(mcp)[0]).toBe("one connected");
    expect(mcp.client.tools().map(({ spec }) => spec.name)).toEqual(tools);
    await mcp.client.setEnabled("broken", false);
    await mcp.client.setEnabled("broken", true);
    expect(mcp.state("broken")).toMatchObject({ status: "failed", error: "no" });
    expect(await mcp.client.setEnabled("nowhere", true)).toBe(false);
  },
);
