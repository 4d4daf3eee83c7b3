import { expect, test } from "bun:test";
import { didYouMean, nearestName, unknownCommandLine } from "../../src/contracts/did-you-mean.ts";

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
  expect(nearestName(mistyped, TOOLS)).toBe(nearest[0]);
  const question = nearest.length > 0 ? `Did you mean ${nearest.join(" or ")}?` : "None.";
  expect(didYouMean(mistyped, TOOLS, "None.")).toBe(question);
});

test("at most three names, the nearest first, ties by name", () => {
  expect(didYouMean("aab", ["aac", "aad", "aaa", "ab"])).toBe("Did you mean aaa or aac or aad?");
  expect(nearestName("aab", ["aac", "aad"])).toBe("aac");
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
