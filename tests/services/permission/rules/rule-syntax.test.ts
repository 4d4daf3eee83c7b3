import { expect, test } from "bun:test";
import { UserFacingError } from "../../../../src/contracts/errors.ts";
import type { Decision } from "../../../../src/contracts/permission.ts";
import { compileRules } from "../../../../src/services/permission/rules/compile-rules.ts";
import { splitRule } from "../../../../src/services/permission/rules/rule-syntax.ts";
import { HOME, ROOT } from "../support.ts";

test.each([
  ["Bash", { tool: "Bash", spec: undefined }],
  [" Read ", { tool: "Read", spec: undefined }],
  ["Bash(npm test *)", { tool: "Bash", spec: "npm test *" }],
  ["Bash(echo (a) b)", { tool: "Bash", spec: "echo (a) b" }],
  ["Bash(echo \\()", { tool: "Bash", spec: "echo \\(" }],
  ["mcp__github__*", { tool: "mcp__github__*", spec: undefined }],
  ["mcp__github", { tool: "mcp__github", spec: undefined }],
  ["WebFetch(domain:example.com)", { tool: "WebFetch", spec: "domain:example.com" }],
  ["Agent(Explore)", { tool: "Agent", spec: "Explore" }],
  ["Task(Explore)", { tool: "Agent", spec: "Explore" }],
  ["Task", { tool: "Agent", spec: undefined }],
])("%j is a rule", (text, parts) => {
  expect(splitRule(text)).toEqual(parts);
});

const compileOne = (rule: string, decision: Decision = "deny") =>
  compileRules([{ rule, decision, file: "s.json", layer: "user", line: 7, base: ROOT }], {
    roots: [ROOT],
    home: HOME,
    realPath: (path) => path,
  });

function thrownBy(work: () => unknown): UserFacingError {
  try {
    work();
  } catch (error) {
    if (error instanceof UserFacingError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

test.each([
  ["", "it names no tool"],
  ["(x)", "it names no tool"],
  ["*", '"*" is not the name of a tool'],
  ["rm -rf", '"rm -rf" is not the name of a tool'],
  ["Bash(ls", "the closing bracket ) is missing at its end"],
  ["Bash(ls) x", "the closing bracket ) is missing at its end"],
  ["Bash()", "the brackets are empty"],
  ["Read( )", "the brackets are empty"],
  ["Bash(echo (a)", "its brackets don't match"],
  ["Bash(echo a))", "its brackets don't match"],
  ["Bash(ls \\)", "its brackets don't match"],
  ["Bash(:*)", "no command before the *"],
  ["Bash( *)", "no command before the *"],
  ["Read(!secret)", "a path can't begin with !"],
  ["Read(a/../../etc)", "its path has .. in the middle"],
])("the broken rule %j stops the start, with its file and line", (rule, problem) => {
  const error = thrownBy(() => compileOne(rule));
  expect(error.exitCode).toBe(2);
  expect(error.message).toStartWith(`s.json:7: the deny rule ${JSON.stringify(rule)} is invalid: `);
  expect(error.message).toContain(problem);
});

test.each([
  ["Write(/src/**)", "only Edit(…) rules can allow paths"],
  ["Glob(**)", "only Read(…) rules can allow paths"],
  ["Grep(./x)", "only Read(…) rules can allow paths"],
  ["NotebookEdit(/a.ipynb)", "only Edit(…) rules can allow paths"],
  ["TodoWrite(x)", "this tool does not support the text in its brackets"],
  ["WebFetch(example.com)", "this tool does not support the text in its brackets"],
])("the allow rule %s is left out with a warning", (rule, why) => {
  expect(compileOne(rule, "allow")).toMatchObject({
    rules: [],
    ignored: [{ rule: { text: rule }, why, awaitsTrust: false }],
    warnings: [`s.json:7: the rule ${rule} allows nothing: ${why}.`],
  });
  expect(compileOne(rule, "deny").rules).toHaveLength(1);
  expect(compileOne(rule, "ask").rules).toHaveLength(1);
});
