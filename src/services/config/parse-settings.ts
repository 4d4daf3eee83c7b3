import { revealedLine } from "@quoll/terminal-text/one-line";
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser/lib/esm/main.js";
import type { z } from "zod";
import { describeIssue } from "../../contracts/describe-issue.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { type SettingsFile, settingsSchema } from "../../contracts/settings-schema.ts";
import { type Position, positionsIn } from "./positions.ts";
import { unknownKeys } from "./unknown-keys.ts";

const MAX_NAME_COLUMNS = 100;

/** Descriptions of jsonc-parser's error codes (its ParseErrorCode), for the person who has to fix the file. */
const EXPECTED: Readonly<Record<number, string>> = {
  1: "a value, not a word without quotes",
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

/**
 * A file with more unknown keys is probably not a settings file of Quoll, and naming all of them would hide other
 * messages.
 */
const MAX_UNKNOWN_KEYS = 20;

/** A parsed settings text, with the positions of its parts. */
export type ParsedSettings = {
  readonly value: SettingsFile;
  readonly warnings: readonly string[];
  /** The 1-based line of a part, as `["permissions", "deny", 0]`. */
  lineOf(path: readonly (string | number)[]): number | undefined;
};

type Text = { readonly text: string; readonly file: string; readonly at: (offset: number) => Position };

/**
 * Parses settings: JSON with comments and trailing commas.
 * @param file The text's name in messages: a path, or a flag.
 * @param schema Only the keys of the schema are checked; for another tool's settings, it has fewer keys.
 * @throws {UserFacingError} (exit 2) `file:line:column: expected …`.
 */
export function parseSettings(
  text: string,
  file: string,
  schema: z.ZodObject & z.ZodType<SettingsFile> = settingsSchema,
  isLeftOut: (key: string) => boolean = () => false,
): ParsedSettings {
  const source: Text = { text, file, at: positionsIn(text) };
  const { tree, value } = withoutOverflow(source, () => {
    const tree = parseJson(source, schema === settingsSchema ? undefined : Object.keys(schema.shape));
    return { tree, value: tree ? (getNodeValue(tree) as unknown) : {} };
  });
  const parsed = schema.safeParse(without(value, isLeftOut));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const { path, expected } = issue ? describeIssue(issue) : { path: [], expected: "something else" };
    const node = tree && nearestNode(tree, path);
    fail(source, node?.offset ?? 0, `expected ${expected} for ${path.length === 0 ? "the settings" : nameOf(path)}`);
  }
  return {
    value: parsed.data,
    warnings: tree ? unknownWarnings(source, tree, schema) : [],
    lineOf: (path) => {
      const node = tree && findNodeAtLocation(tree, [...path]);
      return node && source.at(node.offset).line;
    },
  };
}

function without(value: unknown, isLeftOut: (key: string) => boolean): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !isLeftOut(key)));
}

/** The parser is recursive: a text that consists only of brackets would overflow the stack. */
function withoutOverflow<Result>(source: Text, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) fail(source, 0, "expected settings, not brackets nested this deeply");
    throw error;
  }
}

/** @param keys The keys that are read; all keys if undefined. @returns the syntax tree, or undefined for a blank text. */
function parseJson(source: Text, keys: readonly string[] | undefined): Node | undefined {
  const errors: ParseError[] = [];
  const tree = parseTree(source.text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first) fail(source, first.offset, `expected ${EXPECTED[first.error] ?? "JSON (comments are allowed)"}`);
  if (tree) refuseTwisted(keys ? withKeys(tree, keys) : tree, source);
  return tree;
}

/** The part of an object that these keys name: the rest of another program's file does not matter. */
function withKeys(tree: Node, keys: readonly string[]): Node {
  const children = tree.children?.filter(({ children: [key] = [] }) => keys.includes(String(key?.value)));
  return { ...tree, ...(children && { children }) };
}

/**
 * For duplicate keys, JSON keeps the last value: a deny rule in the first would be lost silently. And `__proto__` is
 * not a key, but would add inherited settings that are not visible in the file.
 */
function refuseTwisted(node: Node, source: Text): void {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    if (child.type === "property") {
      const [key, value] = child.children ?? [];
      if (seen.has(key?.value)) fail(source, child.offset, `expected "${key?.value}" once: merge the two parts`);
      if (key?.value === "__proto__") fail(source, child.offset, 'expected another name than "__proto__"');
      seen.add(key?.value);
      if (value) refuseTwisted(value, source);
    } else refuseTwisted(child, source);
  }
}

function fail({ file, at }: Text, offset: number, problem: string): never {
  const { line, column } = at(offset);
  throw new UserFacingError(`${file}:${line}:${column}: ${problem}.`, 2);
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

function unknownWarnings({ file, at }: Text, tree: Node, schema: z.ZodObject): readonly string[] {
  const warnings: string[] = [];
  for (const { name, offset, nearest } of unknownKeys(tree, schema)) {
    if (warnings.length === MAX_UNKNOWN_KEYS) {
      return [...warnings, `${file}: more unknown settings are ignored; only the first are listed.`];
    }
    const { line, column } = at(offset);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    warnings.push(
      `${file}:${line}:${column}: the setting "${revealedLine(name, MAX_NAME_COLUMNS)}" is unknown and ignored.${hint}`,
    );
  }
  return warnings;
}
