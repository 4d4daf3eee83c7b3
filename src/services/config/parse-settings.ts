import { revealedLine } from "@quoll/terminal-text/one-line";
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser/lib/esm/main.js";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { fitSetting } from "../../contracts/fit-setting.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import type { ObjectSetting, Setting } from "../../contracts/setting.ts";
import type { SettingsFile } from "../../contracts/settings.ts";
import { SETTINGS } from "../../contracts/settings-table.ts";
import { faultLines } from "../../contracts/words.ts";

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

/** The parts of a file that are read: the other parts are not even checked. */
export type ReadParts = {
  /** The only keys whose parts must not be twisted; all keys if absent. */
  readonly keys?: readonly string[];
  pick(value: JsonObject): JsonObject;
};

type Position = { readonly line: number; readonly column: number };
type Text = { readonly text: string; readonly file: string; readonly at: (offset: number) => Position };

/**
 * Parses settings: JSON with comments and trailing commas.
 * @param file The text's name in messages: a path, or a flag.
 * @throws {UserFacingError} (exit 2) `file:line:column: expected …`, a line for each of the first faults.
 */
export function parseSettings(text: string, file: string, read?: ReadParts): ParsedSettings {
  const source: Text = { text, file, at: positionsIn(text) };
  const { tree, value } = withoutOverflow(source, () => {
    const tree = parseJson(source, read?.keys);
    return { tree, value: tree ? (getNodeValue(tree) as unknown) : {} };
  });
  const fitted = fitSetting(read && isJsonObject(value) ? read.pick(value) : value, SETTINGS);
  if ("misfit" in fitted) {
    const faults = [fitted.misfit, ...fitted.others].map(({ path, expected }) => ({
      offset: (tree && nearestNode(tree, path))?.offset ?? 0,
      problem: `expected ${expected} for ${path.length === 0 ? "the settings" : nameOf(path)}`,
    }));
    fail(source, faults);
  }
  return {
    value: fitted.value as SettingsFile,
    warnings: tree ? unknownWarnings(source, tree) : [],
    lineOf: (path) => {
      const node = tree && findNodeAtLocation(tree, [...path]);
      return node && source.at(node.offset).line;
    },
  };
}

/** The parser is recursive: a text that consists only of brackets would overflow the stack. */
function withoutOverflow<Result>(source: Text, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError)
      fail(source, [{ offset: 0, problem: "expected settings, not brackets nested this deeply" }]);
    throw error;
  }
}

/** @param keys The keys that are read; all keys if undefined. @returns the syntax tree, or undefined for a blank text. */
function parseJson(source: Text, keys: readonly string[] | undefined): Node | undefined {
  const errors: ParseError[] = [];
  const tree = parseTree(source.text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  // Errors of syntax after the first one are mostly its consequences.
  const [first] = errors;
  if (first)
    fail(source, [
      { offset: first.offset, problem: `expected ${EXPECTED[first.error] ?? "JSON (comments are allowed)"}` },
    ]);
  const twisted = tree ? [...twistedKeys(keys ? withKeys(tree, keys) : tree)] : [];
  if (twisted.length > 0) fail(source, twisted);
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
function* twistedKeys(node: Node): Generator<Fault, void> {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    if (child.type === "property") {
      const { offset } = child;
      const [key, value] = child.children ?? [];
      if (seen.has(key?.value)) yield { offset, problem: `expected "${key?.value}" once: merge the two parts` };
      if (key?.value === "__proto__") yield { offset, problem: 'expected another name than "__proto__"' };
      seen.add(key?.value);
      if (value) yield* twistedKeys(value);
    } else yield* twistedKeys(child);
  }
}

type Fault = { readonly offset: number; readonly problem: string };

/** Throws one error with a line for each fault, in the order of the text. */
function fail({ file, at }: Text, faults: readonly Fault[]): never {
  const lines = faults
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, problem }) => {
      const { line, column } = at(offset);
      return `${file}:${line}:${column}: ${problem}.`;
    });
  throw new UserFacingError(faultLines(lines), 2);
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

function unknownWarnings({ file, at }: Text, tree: Node): readonly string[] {
  const warnings: string[] = [];
  for (const { name, offset, nearest } of unknownKeys(tree, SETTINGS)) {
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

/** A key in the form `permissions.deny[0].mtach`, and the most similar known key. */
type UnknownKey = { readonly name: string; readonly offset: number; readonly nearest?: string };

/** All keys of a settings text that are not in the table, in the order of the text. */
function* unknownKeys(node: Node, setting: Setting, prefix = ""): Generator<UnknownKey, void> {
  const wanted =
    setting.type === "either"
      ? setting.of.find(({ type }) => type === (node.type === "array" ? "list" : node.type))
      : setting;
  if (wanted?.type === "list") {
    for (const [index, child] of (node.children ?? []).entries())
      yield* unknownKeys(child, wanted.of, `${prefix.replace(/\.$/, "")}[${index}].`);
  }
  if (wanted?.type === "object") yield* unknownIn(node, wanted, prefix);
}

function* unknownIn(
  node: Node,
  { keys, others, isStrict }: ObjectSetting,
  prefix: string,
): Generator<UnknownKey, void> {
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    const part = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (part && value) yield* unknownKeys(value, part, `${prefix}${name}.`);
    else if (!part && !others && !isStrict) {
      const known = Object.keys(keys).filter((one) => one !== "$schema");
      const nearest = nearestName(name, known) ?? groupedName(name, keys);
      const found = { name: prefix + name, offset: property.offset };
      yield nearest === undefined ? found : { ...found, nearest: prefix + nearest };
    }
  }
}

/** The full name of a setting whose group was left out: `terminal.theme` for `theme`. */
function groupedName(name: string, keys: ObjectSetting["keys"]): string | undefined {
  const group = Object.keys(keys).find((one) => {
    const part = keys[one];
    return part?.type === "object" && Object.hasOwn(part.keys, name);
  });
  return group && `${group}.${name}`;
}

/**
 * Converts offsets of a text to lines and columns, which count from 1; columns in UTF-16 units, like in editors. Line
 * starts are computed at the first call, so that a long file with many rules stays cheap.
 */
function positionsIn(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
