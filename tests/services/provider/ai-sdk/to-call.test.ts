import { expect, test } from "bun:test";
import { ToolNames } from "../../../../src/services/provider/ai-sdk/to-call.ts";

test("names that a vendor takes stay, and go back and forth", () => {
  const names = new ToolNames(["Read", "mcp__git__log"]);
  expect([names.sent("Read"), names.given("Read"), names.given("mcp__git__log")]).toEqual([
    "Read",
    "Read",
    "mcp__git__log",
  ]);
});

test("long and odd names become short and plain ones, each its own, and lead back", () => {
  const long = `mcp__${"very-long-server-name".repeat(4)}__search`;
  const declared = [long, `${long}_more`, "a.b", "a:b", "a_b", "7up", "", "名前"];
  const names = new ToolNames(declared);
  const sent = declared.map((name) => names.sent(name));
  expect(new Set(sent).size).toBe(declared.length);
  for (const name of sent) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
  expect(sent.map((name) => names.given(name))).toEqual(declared);
});

test("a name that a model made up is its own, and never takes a declared one's place", () => {
  const names = new ToolNames(["a_b"]);
  expect([names.given("Nonsense"), names.sent("a.b"), names.sent("a_b")]).toEqual(["Nonsense", "a_b_2", "a_b"]);
});
