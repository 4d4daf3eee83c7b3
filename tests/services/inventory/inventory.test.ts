import { describe, expect, test } from "bun:test";
import type { Command } from "../../../src/contracts/command.ts";
import { commandRegistry, toolRegistry } from "../../../src/services/inventory/create-registry.ts";
import { createInventory, scoreEntry } from "../../../src/services/inventory/inventory.ts";

const tool = (name: string, summary: string) => ({
  spec: { name, summary, level: "read" as const, description: "", inputSchema: {} },
});
const command = (name: string, summary: string): Command => ({
  name,
  summary,
  run: async () => ({ kind: "text", lines: [] }),
});

const commands = commandRegistry([
  command("cost", "Show what the session has cost"),
  command("find", "Search old sessions"),
]);
const tools = toolRegistry([
  tool("Read", "Read a file"),
  tool("Grep", "Find text in files"),
  tool("TodoWrite", "Keep the list of steps"),
]);
tools.set({ kind: "mcp", name: "db" }, [tool("mcp__db__query", "Ask the database")]);
const inventory = createInventory({ commands, tools });
const names = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name);

test("a tool and a command may share a name, and what a source brings later is listed", () => {
  const own = toolRegistry([tool("cost", "a")]);
  const both = createInventory({ commands, tools: own });
  expect(names(both.list())).toEqual(["cost", "find", "cost"]);
  own.set({ kind: "mcp" }, [tool("mcp__a__b", "c")]);
  expect(both.list("tool").map(({ name, source }) => [name, source])).toEqual([
    ["cost", "builtin"],
    ["mcp__a__b", "mcp"],
  ]);
});

test("get finds by kind and name", () => {
  expect([inventory.get("tool", "Read"), inventory.get("command", "Read")]).toEqual([
    { kind: "tool", name: "Read", source: "builtin", level: "read", summary: "Read a file" },
    undefined,
  ]);
});

test("filters take away: by kind, to a small prompt's tools, MCP, and prefixes in any case", () => {
  expect([
    names(inventory.list("command")),
    names(inventory.list("tool", { simple: true })),
    names(inventory.list("tool", { noMcp: true })),
    names(inventory.list(undefined, { deny: ["todo", "MCP__", "c"] })),
  ]).toEqual([["cost", "find"], ["Read"], ["Read", "Grep", "TodoWrite"], ["find", "Read", "Grep"]]);
});

describe("route", () => {
  test("the best of each kind comes first, then the score decides, ties by kind and name", () => {
    const ranked = inventory.route("find text in a file");
    expect(ranked.map(({ kind, name, score }) => [kind, name, score])).toEqual([
      ["command", "find", 5],
      ["tool", "Grep", 5],
      ["tool", "Read", 1],
    ]);
  });

  test("a prompt's first word says what to do: a later word that names a command counts less", () => {
    const withBug = createInventory({
      commands: commandRegistry([command("bug", "Write a file for the report of a bug")]),
      tools,
    });
    expect(names(withBug.route("find the bug")).slice(0, 2)).toEqual(["Grep", "bug"]);
    expect(names(withBug.route("bug")).slice(0, 1)).toEqual(["bug"]);
  });

  test("ranks the filtered view, returns at most the number asked for, and only entries that match", () => {
    expect(names(inventory.route("find text in a file", { filter: { deny: ["find", "Grep"] } }))).toEqual(["Read"]);
    expect(names(inventory.route("find text in a file", { limit: 1 }))).toEqual(["find"]);
    expect(inventory.route("the of and")).toEqual([]);
    expect(inventory.route("")).toEqual([]);
  });

  test("a name weighs more than a part of it, and that more than a summary; forms of a word meet", () => {
    const [entry] = inventory.list("tool", { deny: ["read", "grep", "mcp"] });
    if (!entry) throw new Error("no tool");
    expect(
      ["todowrite", "todo", "steps", "step listing", "nothing"].map((prompt) => scoreEntry(entry, prompt)),
    ).toEqual([5, 3, 1, 2, 0]);
  });
});
