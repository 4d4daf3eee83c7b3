import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser/lib/esm/main.js";
import type { z } from "zod";
import { describeIssue } from "../../contracts/describe-issue.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { type SettingsFile, settingsSchema } from "../../contracts/settings.ts";
import { oneLine } from "./one-line.ts";
import { type Position, positionsIn } from "./positions.ts";
import { unknownKeys } from "./unknown-keys.ts";

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

/** A file with more unknown keys than this is not ours; naming all of them would bury everything else. */
const MAX_UNKNOWN_KEYS = 20;

/** A settings text, parsed, with the places of its parts. */
export type ParsedSettings = {
  readonly value: SettingsFile;
  readonly warnings: readonly string[];
  /** The 1-based line of a part, as `["permissions", "deny", 0]`. */
  lineOf(path: readonly (string | number)[]): number | undefined;
};

type Text = { readonly text: string; readonly file: string; readonly at: (offset: number) => Position };

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
  const source: Text = { text, file, at: positionsIn(text) };
  const { tree, value } = withoutOverflow(source, () => {
    const tree = parseJson(source);
    return { tree, value: tree ? (getNodeValue(tree) as unknown) : {} };
  });
  const parsed = schema.safeParse(value);
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

/** The parser goes down by calling itself: a text of nothing but brackets would end the program. */
function withoutOverflow<Result>(source: Text, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) fail(source, 0, "expected settings, not brackets nested this deeply");
    throw error;
  }
}

/** @returns the tree, or undefined for a blank text. */
function parseJson(source: Text): Node | undefined {
  const errors: ParseError[] = [];
  const tree = parseTree(source.text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first) fail(source, first.offset, `expected ${EXPECTED[first.error] ?? "JSON (comments are allowed)"}`);
  if (tree) refuseTwisted(tree, source);
  return tree;
}

/**
 * Of two parts with one name JSON keeps the last: a deny rule in the first would be gone without a word. And `__proto__`
 * is no name of a part but would lend the settings parts that nobody sees.
 */
function refuseTwisted(node: Node, source: Text): void {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    if (child.type === "property") {
      const [key, value] = child.children ?? [];
      if (seen.has(key?.value)) fail(source, child.offset, `expected "${key?.value}" once: join the two parts`);
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
      return [...warnings, `${file}: more settings are not known and ignored; only the first are named.`];
    }
    const { line, column } = at(offset);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    warnings.push(`${file}:${line}:${column}: the setting "${oneLine(name)}" is not known and ignored.${hint}`);
  }
  return warnings;
}
