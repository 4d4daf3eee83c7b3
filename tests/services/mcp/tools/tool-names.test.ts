import { expect, test } from "bun:test";
import { serverPart, ToolNames } from "../../../../src/services/mcp/tools/tool-names.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;
const NONE: ReadonlySet<string> = new Set();

test.each([
  ["github", "github"],
  ["my-server_2", "my-server_2"],
  ["My Server", "My_Server"],
  ["a__b", "a_b"],
  ["_edge_", "edge"],
  ["tools.example.com/mcp", "tools_example_com_mcp"],
])("the server %s is named %s in its tools", (name, part) => {
  expect(serverPart(name, NONE)).toBe(part);
});

test("servers whose parts would be the same are told apart, the first keeps the plain one", () => {
  const first = serverPart("my server", NONE);
  const second = serverPart("my.server", new Set([first]));
  expect(first).toBe("my_server");
  expect(second).toMatch(/^my_server_[0-9a-f]{8}$/);
});

test("a server whose name has no letter that counts, or too many, gets a short hash", () => {
  expect(serverPart("日本語", NONE)).toMatch(/^[0-9a-f]{8}$/);
  expect(serverPart("x".repeat(100), NONE)).toMatch(/^x{35}_[0-9a-f]{8}$/);
});

test("ordinary names are taken as they are, odd ones mapped", () => {
  const names = new ToolNames("s");
  expect(names.assign(["read", "a.b", "get/item", "Größe"])).toEqual([
    "mcp__s__read",
    "mcp__s__a_b",
    "mcp__s__get_item",
    "mcp__s__Gr__e",
  ]);
});

test("a name that needs no change wins over names that map to it", () => {
  const [dotted, plain, slashed] = new ToolNames("s").assign(["a.b", "a_b", "a/b"]);
  expect(plain).toBe("mcp__s__a_b");
  expect(dotted).toMatch(/^mcp__s__a_b_[0-9a-f]{8}$/);
  expect(slashed).toMatch(/^mcp__s__a_b_[0-9a-f]{8}$/);
  expect(slashed).not.toBe(dotted);
});

test("long names keep their beginning and differ in their hash", () => {
  const [a = "", b = ""] = new ToolNames("server").assign([`${"long".repeat(30)}a`, `${"long".repeat(30)}b`]);
  expect(a).toMatch(/^mcp__server__long.*_[0-9a-f]{8}$/);
  expect([a.length <= 64, b.length <= 64, a !== b]).toEqual([true, true, true]);
});

test("a name once given stays, whatever is listed later", () => {
  const names = new ToolNames("s");
  const [before] = names.assign(["a.b"]);
  const [later, still] = names.assign(["a_b", "a.b"]);
  expect({ before, still }).toEqual({ before: "mcp__s__a_b", still: "mcp__s__a_b" });
  expect(later).toMatch(/^mcp__s__a_b_[0-9a-f]{8}$/);
});

test("names of tools fit the APIs and no two are the same, whatever servers call their tools", () => {
  const random = seededRandom(7);
  const letters = ["a", "B", "_", "__", "-", ".", "/", " ", "é", "日", "🎉", "\ud800", "\u0000", "x".repeat(30)];
  const word = () => Array.from({ length: 1 + random.below(6) }, () => random.pick(letters)).join("");
  const taken = new Set<string>();
  const all: string[] = [];
  for (let server = 0; server < 40; server += 1) {
    const part = serverPart(word(), taken);
    expect(taken.has(part)).toBe(false);
    expect(part).not.toContain("__");
    taken.add(part);
    const tools = [...new Set(Array.from({ length: 60 }, word))];
    all.push(...new ToolNames(part).assign(tools));
  }
  expect(all.filter((name) => !ALLOWED.test(name))).toEqual([]);
  expect(new Set(all).size).toBe(all.length);
});
