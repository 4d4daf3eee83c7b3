import { describe, expect, test } from "bun:test";
import { normalizeArguments, splitRules } from "../../src/cli/arguments.ts";

describe("normalizeArguments", () => {
  const CASES: readonly (readonly [what: string, given: readonly string[], wanted: readonly string[]])[] = [
    ["leaves what it knows", ["-p", "hi", "--model", "x"], ["-p", "hi", "--model", "x"]],
    [
      "writes camelCase as kebab-case",
      ["--outputFormat", "json", "--maxTurns=3"],
      ["--output-format", "json", "--max-turns=3"],
    ],
    ["leaves values alone", ["--model=someName", "camelCase"], ["--model=someName", "camelCase"]],
    [
      "repeats the option for each rule",
      ["--allowed-tools", "Read", "Edit(/src/**)"],
      ["--allowed-tools=Read", "--allowed-tools=Edit(/src/**)"],
    ],
    ["stops at what is no rule", ["--allowed-tools", "Read", "fix it"], ["--allowed-tools=Read", "fix it"]],
    ["stops at an option", ["--allowedTools", "Read", "-p", "Edit"], ["--allowed-tools=Read", "-p", "Edit"]],
    [
      "takes rules with spaces in brackets",
      ["--tools", "Bash(git diff *) Read", "x"],
      ["--tools=Bash(git diff *) Read", "x"],
    ],
    [
      "takes what follows = and further rules",
      ["--disallowedTools=Bash", "Read", "do"],
      ["--disallowed-tools=Bash", "--disallowed-tools=Read", "do"],
    ],
    [
      "takes names of MCP tools",
      ["--allowed-tools", "mcp__a__b", "mcp__c*", "do"],
      ["--allowed-tools=mcp__a__b", "--allowed-tools=mcp__c*", "do"],
    ],
    ["leaves everything behind --", ["-p", "--", "--maxTurns", "Read"], ["-p", "--", "--maxTurns", "Read"]],
    ["ends with an option that has no value", ["--allowed-tools"], ["--allowed-tools="]],
  ];
  test.each(CASES)("%s", (_, given, wanted) => {
    expect(normalizeArguments(given)).toEqual([...wanted]);
  });
});

describe("splitRules", () => {
  test("splits at commas and white space outside of parentheses", () => {
    expect(splitRules("Read, Bash(git diff *, x)  Edit(/a b/**)\nGrep")).toEqual([
      "Read",
      "Bash(git diff *, x)",
      "Edit(/a b/**)",
      "Grep",
    ]);
  });

  test("passes broken rules on, so that the rule parser names them", () => {
    expect([splitRules("Bash(a b"), splitRules("a)) b"), splitRules(" , ")]).toEqual([["Bash(a b"], ["a))", "b"], []]);
  });
});
