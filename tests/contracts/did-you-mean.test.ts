import { expect, test } from "bun:test";
import { nearestNames, unknownCommandLine } from "../../src/contracts/did-you-mean.ts";

const TOOLS = ["Read", "Edit", "Write", "Bash", "Glob", "Grep", "TodoWrite", "TaskOutput", "TaskStop"];

const CASES: readonly (readonly [mistyped: string, nearest: readonly string[]])[] = [
  ["Gerp", ["Grep"]],
  ["raed", ["Read"]],
  ["EDIT", ["Edit"]],
  ["Todo", ["TodoWrite"]],
  ["Task", ["TaskStop", "TaskOutput"]],
  ["BashTool", ["Bash"]],
  ["TaskOuptut", ["TaskOutput"]],
  ["WebFetch", []],
  ["x", []],
  ["", []],
];

test.each(CASES)("%p is nearest to %j", (mistyped, nearest) => {
  expect(nearestNames(mistyped, TOOLS)).toEqual([...nearest]);
});

test("at most so many as are asked for, the nearest first, ties by name", () => {
  expect(nearestNames("aab", ["aac", "aad", "aaa", "ab"], 3)).toEqual(["aaa", "aac", "aad"]);
  expect(nearestNames("aab", ["aac", "aad"], 1)).toEqual(["aac"]);
});

test("in safe mode, an unknown command may be one that the mode leaves out, also beside a near name", () => {
  const off = "commands of yours and of the project are off.";
  expect(unknownCommandLine("price", ["help", "prices"], true)).toBe(
    `Safe mode has no command /price: ${off} Did you mean /prices?`,
  );
  expect(unknownCommandLine("zzz", ["help"], true)).toBe(
    `Safe mode has no command /zzz: ${off} /help lists the others.`,
  );
  expect(unknownCommandLine("price", ["prices"])).toBe("There is no command /price. Did you mean /prices?");
});
