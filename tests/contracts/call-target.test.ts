import { expect, test } from "bun:test";
import { titleFromInput } from "../../src/contracts/call-target.ts";

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
