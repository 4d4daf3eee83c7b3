import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SRC = join(import.meta.dir, "../../src");
/** A comparison with the kind of a task, or a switch on it. */
const ASKS_KIND = /\bkind\b[\s)]*(?:[!=]==?)\s*"(?:shell|agent)"|\bisShell(?:Task)?\b\s*\(|\bisAgentTask\b/;
/** Code about other things with a kind. */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  "app/skills/approve-skill.ts": "an item that a person approves",
};

test("no code asks for the kind of a task: what can be done with it follows from its capabilities", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  const asking = files.filter((file) =>
    readFileSync(join(SRC, file), "utf8")
      .split("\n")
      .some((line) => ASKS_KIND.test(line)),
  );
  expect(asking.sort()).toEqual(Object.keys(OTHER_KINDS));
});

test.each([
  'if (task.kind === "agent") store.note(task);',
  'const own = tasks.filter(({ kind }) => kind !== "shell");',
  'while (find()?.kind === "agent") await step();',
])("the check finds %j", (line) => {
  expect(line).toMatch(ASKS_KIND);
});
