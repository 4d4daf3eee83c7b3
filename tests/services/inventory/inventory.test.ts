import { describe, expect, test } from "bun:test";
import type { InventoryEntry } from "../../../src/contracts/inventory.ts";
import { createInventory } from "../../../src/services/inventory/inventory.ts";
import { scoreEntry } from "../../../src/services/inventory/route-score.ts";

const tool = (name: string, summary: string, source: InventoryEntry["source"] = "builtin"): InventoryEntry => ({
  kind: "tool",
  name,
  source,
  level: "read",
  summary,
});
const command = (name: string, summary: string): InventoryEntry => ({
  kind: "command",
  name,
  source: "builtin",
  level: "none",
  summary,
});

const ENTRIES = [
  command("cost", "Show what the session has cost"),
  command("find", "Search old sessions"),
  tool("Read", "Read a file"),
  tool("Grep", "Find text in files"),
  tool("TodoWrite", "Keep the list of steps"),
  tool("mcp__db__query", "Ask the database", "mcp"),
];
const inventory = createInventory(ENTRIES);
const names = (entries: readonly InventoryEntry[]) => entries.map(({ name }) => name);

test("two entries of one kind with one name are an error that names both sources; of two kinds they are not", () => {
  expect(() => createInventory([tool("Read", "a"), tool("Read", "b", "plugin")])).toThrow(
    'Two tools are named "Read": one is builtin, one plugin.',
  );
  expect(createInventory([tool("cost", "a"), command("cost", "b")]).list()).toHaveLength(2);
});

test("get finds by kind and name", () => {
  expect([inventory.get("tool", "Read"), inventory.get("command", "Read")]).toEqual([ENTRIES[2], undefined] as never);
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
      ["tool", "Grep", 3],
      ["tool", "Read", 1],
    ]);
  });

  test("it ranks the filtered view, so many as asked for, and only what fits at all", () => {
    expect(names(inventory.route("find text in a file", { filter: { deny: ["find", "Grep"] } }))).toEqual(["Read"]);
    expect(names(inventory.route("find text in a file", { limit: 1 }))).toEqual(["find"]);
    expect(inventory.route("the of and")).toEqual([]);
    expect(inventory.route("")).toEqual([]);
  });

  test("a name weighs more than a part of it, and that more than a summary; forms of a word meet", () => {
    const entry = tool("TodoWrite", "Keep the list of steps");
    expect(
      ["todowrite", "todo", "steps", "step listing", "nothing"].map((prompt) => scoreEntry(entry, prompt)),
    ).toEqual([5, 3, 1, 2, 0]);
  });
});
