import { describe, expect, test } from "bun:test";
import { SEARCHING_TOOLS } from "../../src/contracts/call-target.ts";
import type { Tool, ToolSpec } from "../../src/contracts/tool.ts";
import type { PendingServer, ToolPolicy } from "../../src/contracts/tool-offer.ts";
import { DEFERRAL_PERCENT, MAX_ARRAY_TOKENS, ToolArray } from "../../src/engine/tool-array.ts";
import { toolRegistry } from "../../src/services/inventory/create-registry.ts";

const WINDOW = 200_000;
const CHARS = 4;

const tool = (name: string, more: Partial<ToolSpec> = {}): Tool => ({
  spec: { name, summary: "", description: `does ${name}`, level: "read", inputSchema: { type: "object" }, ...more },
  prepare: () => Promise.reject(new Error("It is not called.")),
});
/** A tool whose declaration takes about so many tokens. */
const heavy = (name: string, tokens: number, more: Partial<ToolSpec> = {}) =>
  tool(name, { description: "x".repeat(tokens * CHARS), ...more });

function place(given: Partial<ToolPolicy> = {}, own: readonly Tool[] = [tool("Read"), tool("Rare", { isRare: true })]) {
  const registry = toolRegistry([...own, ...SEARCHING_TOOLS.map((name) => tool(name))]);
  const awaited: { servers: readonly PendingServer[] } = { servers: [] };
  const policy: ToolPolicy = { deferral: "auto", windowTokens: () => WINDOW, pending: () => awaited.servers, ...given };
  const array = new ToolArray(registry, policy);
  return {
    registry,
    array,
    awaited,
    policy,
    mcp: (...tools: readonly Tool[]) => registry.set({ kind: "mcp" }, tools),
    names: () => array.declarations.map(({ name }) => name),
    deferred: () => array.deferred.map(({ spec }) => spec.name),
  };
}

describe("the decision at the first request", () => {
  test("without MCP servers the built-in tools stand in the array, without search, and nothing is recorded", () => {
    const { array, names, deferred } = place();
    expect(array.settle(undefined)).toBeUndefined();
    expect(names()).toEqual(["Read", "Rare"]);
    expect(deferred()).toEqual([]);
    expect(array.record).toBeUndefined();
  });

  test("small MCP tools stand in the array behind the built-in ones, without search", () => {
    const { array, mcp, names, deferred } = place();
    mcp(heavy("mcp__a__x", 1_000), heavy("mcp__a__y", 1_000));
    array.settle(undefined);
    expect(names()).toEqual(["Read", "Rare", "mcp__a__x", "mcp__a__y"]);
    expect(deferred()).toEqual([]);
    expect(array.record?.mode).toBe("array");
  });

  test("MCP and rare tools that together pass the limit are deferred, except those that are always loaded", () => {
    const { array, mcp, names, deferred } = place();
    mcp(heavy("mcp__a__x", MAX_ARRAY_TOKENS + 100), tool("mcp__a__y", { alwaysLoad: true }));
    array.settle(undefined);
    expect(names()).toEqual(["Read", ...SEARCHING_TOOLS, "mcp__a__y"]);
    expect(deferred()).toEqual(["Rare", "mcp__a__x"]);
  });

  test("the limit is a share of a small window, and a number of tokens in a large one", () => {
    const isDeferred = (tokens: number, policy: Partial<ToolPolicy>) => {
      const { array, mcp, deferred } = place(policy, [tool("Read")]);
      mcp(heavy("mcp__a__x", tokens));
      array.settle(undefined);
      return deferred().length > 0;
    };
    const small = { windowTokens: () => 32_000 };
    const share = (32_000 * DEFERRAL_PERCENT) / 100;
    expect([isDeferred(share - 100, small), isDeferred(share + 100, small)]).toEqual([false, true]);
    const large = { windowTokens: () => 1_000_000 };
    expect([isDeferred(MAX_ARRAY_TOKENS - 100, large), isDeferred(MAX_ARRAY_TOKENS + 100, large)]).toEqual([
      false,
      true,
    ]);
    const own = { deferral: { percent: 20 } } as const;
    expect([isDeferred(WINDOW / 5 - 100, own), isDeferred(WINDOW / 5 + 100, own)]).toEqual([false, true]);
    expect(isDeferred(100_000, { deferral: "never" })).toBe(false);
    expect(isDeferred(10, { deferral: "always" })).toBe(true);
  });

  test("a server that has not answered counts by its last list", () => {
    const { array, awaited, names } = place();
    awaited.servers = [{ name: "a", tokens: MAX_ARRAY_TOKENS + 1 }];
    array.settle(undefined);
    expect(names()).toEqual(["Read", ...SEARCHING_TOOLS]);
  });

  test("tools of an unknown server that comes late are deferred, those that are there stay in the array", () => {
    const { array, awaited, mcp, names, deferred } = place();
    awaited.servers = [{ name: "b", tokens: undefined }];
    mcp(tool("mcp__a__x"));
    array.settle(undefined);
    const first = names();
    expect(first).toEqual(["Read", "Rare", ...SEARCHING_TOOLS, "mcp__a__x"]);
    awaited.servers = [];
    mcp(tool("mcp__a__x"), tool("mcp__b__y"));
    expect(array.settle(undefined)).toBeUndefined();
    expect(names()).toEqual(first);
    expect(deferred()).toEqual(["mcp__b__y"]);
  });

  test("nothing is deferred where the model has no search", () => {
    const registry = toolRegistry([tool("Read")]);
    const array = new ToolArray(registry, place().policy);
    registry.set({ kind: "mcp" }, [heavy("mcp__a__x", 20_000)]);
    array.settle(undefined);
    expect(array.declarations.map(({ name }) => name)).toEqual(["Read", "mcp__a__x"]);
  });

  test("a session that begins without servers decides when the first one comes", () => {
    const { array, mcp, names, deferred } = place();
    array.settle(undefined);
    mcp(heavy("mcp__a__x", 20_000));
    expect(array.settle(undefined)).toEqual({ added: [...SEARCHING_TOOLS], changed: [] });
    expect(names()).toEqual(["Read", "Rare", ...SEARCHING_TOOLS]);
    expect(deferred()).toEqual(["mcp__a__x"]);
  });
});

describe("an array that was sent", () => {
  test("takes new tools at its end, keeps withdrawn ones, and names what it took", () => {
    const { array, mcp, names } = place();
    mcp(tool("mcp__a__m"), tool("mcp__a__z"));
    array.settle(undefined);
    const before = JSON.stringify(array.declarations);
    mcp(tool("mcp__a__b"), tool("mcp__a__z"));
    expect(array.settle(undefined)).toEqual({ added: ["mcp__a__b"], changed: [] });
    expect(names()).toEqual(["Read", "Rare", "mcp__a__m", "mcp__a__z", "mcp__a__b"]);
    expect(JSON.stringify(array.declarations).startsWith(before.slice(0, -1))).toBe(true);
    expect(array.hasOffered("mcp__a__m")).toBe(true);
  });

  test("stays as it is when only the description of a tool changes, and takes a new input schema", () => {
    const { array, mcp } = place();
    mcp(tool("mcp__a__x"));
    array.settle(undefined);
    const before = array.declarations;
    mcp(tool("mcp__a__x", { description: "3 jobs wait" }));
    expect(array.settle(undefined)).toBeUndefined();
    expect(array.declarations).toEqual(before);
    mcp(tool("mcp__a__x", { inputSchema: { type: "object", properties: { a: {} } } }));
    expect(array.settle(undefined)).toEqual({ added: [], changed: ["mcp__a__x"] });
    expect(array.declarations.at(-1)?.inputSchema).toEqual({ type: "object", properties: { a: {} } });
  });

  test("never changes where tools are deferred: a new input schema is found by search", () => {
    const { array, mcp, deferred } = place();
    mcp(heavy("mcp__a__x", 20_000), tool("mcp__a__y", { alwaysLoad: true }));
    array.settle(undefined);
    const before = JSON.stringify(array.declarations);
    mcp(tool("mcp__a__y", { alwaysLoad: true, inputSchema: { type: "object", required: ["a"] } }), tool("mcp__b__z"));
    expect(array.settle(undefined)).toBeUndefined();
    expect(JSON.stringify(array.declarations)).toBe(before);
    expect(deferred()).toEqual(["Rare", "mcp__a__y", "mcp__b__z"]);
  });

  test("stops growing when servers add many tools after the first request: these are deferred", () => {
    const { array, mcp, names, deferred } = place();
    const generation = (count: number, letter: string) =>
      Array.from({ length: count }, (_, at) => tool(`mcp__a__${letter}${at}`, { alwaysLoad: true }));
    mcp(...generation(30, "a"));
    array.settle(undefined);
    mcp(...generation(30, "b"));
    expect(array.settle(undefined)?.added).toHaveLength(30);
    const before = names();
    mcp(...generation(30, "c"));
    expect(array.settle(undefined)?.added).toEqual([...SEARCHING_TOOLS]);
    expect(names()).toEqual([...before, ...SEARCHING_TOOLS]);
    expect(deferred().filter((name) => name.startsWith("mcp__"))).toHaveLength(30);
    mcp(...generation(30, "d"));
    expect(array.settle(undefined)).toBeUndefined();
  });

  test("is the same bytes in a resumed session, also before its servers are there", () => {
    for (const tokens of [1_000, 20_000]) {
      const first = place();
      first.mcp(heavy("mcp__a__x", tokens), tool("mcp__a__y", { alwaysLoad: true }));
      first.array.settle(undefined);
      const resumed = place();
      resumed.awaited.servers = [{ name: "a", tokens: undefined }];
      expect(resumed.array.settle(first.array.record)).toBeUndefined();
      expect(JSON.stringify(resumed.array.declarations)).toBe(JSON.stringify(first.array.declarations));
      resumed.mcp(heavy("mcp__a__x", tokens), tool("mcp__a__y", { alwaysLoad: true }));
      expect(resumed.array.settle(first.array.record)).toBeUndefined();
      expect(JSON.stringify(resumed.array.declarations)).toBe(JSON.stringify(first.array.declarations));
      expect(resumed.deferred()).toEqual(first.deferred());
    }
  });

  test("takes a built-in tool that a newer program brings when its session is resumed", () => {
    const first = place();
    first.mcp(heavy("mcp__a__x", 20_000));
    first.array.settle(undefined);
    const resumed = place({}, [tool("Read"), tool("New")]);
    resumed.mcp(heavy("mcp__a__x", 20_000));
    expect(resumed.array.settle(first.array.record)).toEqual({ added: ["New"], changed: [] });
  });
});
