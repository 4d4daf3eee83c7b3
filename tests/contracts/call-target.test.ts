import { expect, test } from "bun:test";
import { titleFromInput, untitledCall } from "../../src/contracts/call-target.ts";

test.each([
  [{ file_path: "/w/src/a.ts", content: "x" }, "src/a.ts"],
  [{ file_path: "/elsewhere/a.ts" }, "/elsewhere/a.ts"],
  [{ pattern: "x*", path: "/w/src" }, "src"],
  [{ pattern: "x*" }, '"x*"'],
  [{ command: "npm test", description: "Run the tests" }, "npm test"],
  [{ description: "Run the tests" }, "Run the tests"],
  [{ file_path: 5 }, ""],
  [{}, ""],
])("%j is told as %j", (input, title) => {
  expect(titleFromInput(input, "/w")).toBe(title);
});

test.each([
  ["a server's tool is named with its server", "mcp__shop__count_order", {}, "shop · count_order"],
  ["the words of its input follow", "mcp__shop__find__order", { query: "tea" }, "shop · find__order tea"],
  ["any other tool is named if its input tells nothing", "Bash", {}, "Bash"],
  ["the input tells more than the tool's name", "Read", { file_path: "/w/a.txt" }, "a.txt"],
])("of a call that was not prepared, %s", (_, name, input, title) => {
  expect(untitledCall({ name, input }, "/w")).toBe(title);
});
