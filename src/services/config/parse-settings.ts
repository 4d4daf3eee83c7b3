import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser/lib/esm/main.js";
import { z } from "zod";
import { UserFacingError } from "../../contracts/errors.ts";
import { nearestNames } from "../../contracts/nearest.ts";
import { type SettingsFile, settingsSchema } from "../../contracts/settings.ts";

/** What each of jsonc-parser's error codes (its ParseErrorCode) means to the one who has to mend the file. */
const EXPECTED: Readonly<Record<number, string>> = {
  1: "a value (a word without quotes stands here)",
  2: "a number",
  3: "a name in double quotes",
  4: "a value",
  5: "a colon",
  6: "a comma",
  7: "a closing brace }",
  8: "a closing bracket ]",
  9: "the end of the file",
  11: "the end of a comment */",
  12: 'a closing double quote "',
  13: "a number",
  14: "\\u and four hexadecimal digits",
  15: 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash',
  16: "no control character",
};

type Position = { readonly line: number; readonly column: number };

/** A settings text, parsed, with the places of its parts. */
export type ParsedSettings = {
  readonly value: SettingsFile;
  readonly warnings: readonly string[];
  /** The 1-based line of an element of a list, as `["permissions", "deny", 0]`. */
  lineOf(path: readonly (string | number)[]): number | undefined;
};

/**
 * Parses settings: JSON with comments and trailing commas.
 * @param file How messages name the text: a path, or the flag it came with.
 * @param schema Only what it names is checked; of another tool's settings that is less.
 * @throws {UserFacingError} (exit 2) `file:line:column: expected …`.
 */
export function parseSettings(
  text: string,
  file: string,
  schema: z.ZodObject & z.ZodType<SettingsFile> = settingsSchema,
): ParsedSettings {
  const tree = parseJson(text, file);
  const value: unknown = tree ? getNodeValue(tree) : {};
  const parsed = schema.safeParse(value);
  const place = (node: Node | undefined) => positionOf(text, node?.offset ?? 0);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = (issue?.path ?? []).filter((part) => typeof part !== "symbol");
    const node = tree && nearestNode(tree, path);
    const at = path.length === 0 ? "the settings" : nameOf(path);
    fail(file, place(node), `expected ${issue ? expectation(issue) : "something else"} for ${at}`);
  }
  return {
    value: parsed.data,
    warnings: tree ? unknownKeys(tree, schema, file, text, "") : [],
    lineOf: (path) => {
      const node = tree && findNodeAtLocation(tree, [...path]);
      return node && place(node).line;
    },
  };
}

/** @returns the tree, or undefined for a blank text. */
function parseJson(text: string, file: string): Node | undefined {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first)
    fail(file, positionOf(text, first.offset), `expected ${EXPECTED[first.error] ?? "JSON (comments are allowed)"}`);
  if (tree) refuseDuplicates(tree, text, file);
  return tree;
}

/** Of two parts with one name JSON keeps the last: a deny rule in the first would be gone without a word. */
function refuseDuplicates(node: Node, text: string, file: string): void {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    if (child.type === "property") {
      const [key, value] = child.children ?? [];
      if (seen.has(key?.value)) {
        const where = positionOf(text, child.offset);
        fail(file, where, `expected "${key?.value}" once: join the two parts`);
      }
      seen.add(key?.value);
      if (value) refuseDuplicates(value, text, file);
    } else refuseDuplicates(child, text, file);
  }
}

function fail(file: string, { line, column }: Position, problem: string): never {
  throw new UserFacingError(`${file}:${line}:${column}: ${problem}.`, 2);
}

/** Lines and columns count from 1; columns in UTF-16 units, as editors do. */
function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

function nearestNode(tree: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return node;
  }
  return tree;
}

function nameOf(path: readonly (string | number)[]): string {
  const joined = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return `"${joined.replace(/^\./, "")}"`;
}

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

function unknownKeys(node: Node, schema: z.ZodObject, file: string, text: string, prefix: string): readonly string[] {
  const known = Object.keys(schema.shape);
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    if (!known.includes(name)) {
      const { line, column } = positionOf(text, property.offset);
      const near = nearestNames(
        name,
        known.filter((other) => other !== "$schema"),
        1,
      )[0];
      const hint = near === undefined ? "" : ` Did you mean "${prefix}${near}"?`;
      return [`${file}:${line}:${column}: the setting "${prefix}${name}" is not known and ignored.${hint}`];
    }
    const inner = objectSchema(schema.shape[name]);
    return inner && value ? unknownKeys(value, inner, file, text, `${prefix}${name}.`) : [];
  });
}

function objectSchema(field: unknown): z.ZodObject | undefined {
  if (field instanceof z.ZodOptional) return objectSchema(field.unwrap());
  return field instanceof z.ZodObject ? field : undefined;
}
