import type { z } from "zod";

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

type Issue = z.core.$ZodIssue;

/** What a schema missed, and where in the value. */
export type Expectation = { readonly path: readonly (string | number)[]; readonly expected: string };

/** The first thing that a schema refused, in plain words: "a string", at `["permissions", "deny", 1]`. */
export function describeIssue(issue: Issue): Expectation {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  if (issue.code !== "invalid_union") return { path, expected: expectation(issue) };
  // Where one alternative got further into the value than the others, that one was meant.
  const alternatives = issue.errors.flatMap(([first]) => (first ? [describeIssue(first)] : []));
  const meant = alternatives.find((alternative) => alternative.path.length > 0);
  if (meant) return { path: [...path, ...meant.path], expected: meant.expected };
  return { path, expected: alternatives.map(({ expected }) => expected).join(" or ") || "something else" };
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPE_NAMES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ");
    case "too_small":
      return issue.origin === "string" ? "some text" : `at least ${issue.minimum}`;
    default:
      return `what fits (${issue.message})`;
  }
}
