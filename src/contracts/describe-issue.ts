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

/** The type that a schema expects, and the position in the value. */
export type Expectation = { readonly path: readonly (string | number)[]; readonly expected: string };

/** The first value that a schema refused, in plain words: "a string", at `["permissions", "deny", 1]`. */
export function describeIssue(issue: Issue): Expectation {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  if (issue.code !== "invalid_union") return { path, expected: expectation(issue) };
  // Of several alternatives in a schema, the one that matches most of the value is assumed.
  const alternatives = issue.errors.flatMap(([first]) => (first ? [describeIssue(first)] : []));
  const meant = alternatives.find((alternative) => alternative.path.length > 0);
  if (meant) return { path: [...path, ...meant.path], expected: meant.expected };
  return { path, expected: alternatives.map(({ expected }) => expected).join(" or ") || "something else" };
}

/**
 * One sentence about one refused value, without its full stop: "`limit` must be a number, not a string".
 * @param whole The name of the whole value.
 */
export function issueSentence(issue: Issue, whole = "the input"): string {
  const { path, expected } = describeIssue(issue);
  const where = path.length === 0 ? whole : `\`${pathText(path)}\``;
  if (issue.code === "custom") return path.length === 0 ? issue.message : `${where}: ${issue.message}`;
  if (issue.code === "unrecognized_keys") return `${where} has fields that are not known: ${issue.keys.join(", ")}`;
  const received = issue.code === "invalid_type" ? /received (\w+)$/.exec(issue.message)?.[1] : undefined;
  if (received === "undefined") return `${where} is missing: it must be ${expected}`;
  const not = received === undefined ? "" : `, not ${TYPE_NAMES[received] ?? received}`;
  return `${where} must be ${expected}${not}`;
}

function pathText(path: readonly (string | number)[]): string {
  return path.map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${part}`)).join("");
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPE_NAMES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ");
    case "too_small":
      if (issue.origin === "array") return `a list of at least ${issue.minimum}`;
      return issue.origin === "string"
        ? "some text"
        : `${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "array") return `a list of at most ${issue.maximum}`;
      return `at most ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "regex" ? "of another form" : `a valid ${issue.format}`;
    case "custom":
      return issue.message;
    default:
      return `what fits (${issue.message})`;
  }
}
