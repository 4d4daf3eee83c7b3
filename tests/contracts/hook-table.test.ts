import { expect, test } from "bun:test";
import { readHookTable } from "../../src/contracts/hook-table.ts";
import type { JsonObject } from "../../src/contracts/message.ts";

const HOOK = { type: "command", command: "exit 2" };
const read = (table: JsonObject) => {
  const problems: string[] = [];
  return { hooks: readHookTable(table, (text) => problems.push(text)), problems };
};

test.each([
  ["a hook without a list around it", { PreToolUse: [{ matcher: "Bash", ...HOOK }] }, 'needs a list of "hooks"'],
  [
    "a matcher without a list around it",
    { PreToolUse: { matcher: "Bash", hooks: [HOOK] } },
    "PreToolUse must be a list",
  ],
  ["one hook instead of a list", { PreToolUse: [{ hooks: HOOK }] }, 'needs a list of "hooks"'],
  ["a text instead of a matcher", { PreToolUse: ["exit 2"] }, 'needs a list of "hooks"'],
  ["a list as its rule", { PreToolUse: [{ hooks: [{ ...HOOK, if: ["Bash(a)"] }] }] }, "if must be a string"],
  ["another spelling of its event", { preToolUse: [{ hooks: [HOOK] }] }, "there is no event"],
])("a table with %s is told", (_, table, problem) => {
  const { hooks, problems } = read(table);
  expect(hooks).toEqual([]);
  expect(problems).toEqual([expect.stringContaining(problem)]);
});

test("the other hooks of a table with a mistake are kept, and a matcher that is no text matches everything", () => {
  const { hooks, problems } = read({
    Stop: [{ hooks: [{ type: "command" }, HOOK] }],
    PreToolUse: [
      { matcher: ["Bash"], hooks: [HOOK] },
      { matcher: "Read", hooks: [HOOK] },
    ],
  });
  expect(hooks.map(({ event, matcher }) => [event, matcher])).toEqual([
    ["Stop", undefined],
    ["PreToolUse", undefined],
    ["PreToolUse", "Read"],
  ]);
  expect(problems).toHaveLength(1);
});
