import type { Decision } from "../../contracts/permission.ts";
import { type ImportLine, leftOut, rule } from "./import-line.ts";

const DECISIONS: Readonly<Record<string, Decision>> = { allow: "allow", prompt: "ask", forbidden: "deny" };
/** The maximum number of rules that one line with alternatives becomes. */
const MAX_ALTERNATIVES = 30;
/** Matches a word without special meaning in a rule or a shell. */
const PLAIN_WORD = /^[\w./:=@%+,-]+$/;
const TOKEN = /\s+|#[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_]\w*|[()[\]=,]|[^\s]/g;

type Value = string | readonly Value[];

/** Reads a `.rules` file of Codex: calls of `prefix_rule` with literals. All other content of the file is left out. */
export function readPrefixRules(text: string): readonly ImportLine[] {
  const lines: ImportLine[] = [];
  for (const found of text.matchAll(/\bprefix_rule\s*\(/g)) {
    const line = text.slice(0, found.index).split("\n").length;
    const fields = argumentsOf(text.slice(found.index + found[0].length));
    for (const one of fields ? rulesOf(fields) : [leftOut("prefix_rule", "it is not made of plain texts and lists")])
      lines.push({ ...one, line });
  }
  return lines;
}

function rulesOf(fields: ReadonlyMap<string, Value>): readonly ImportLine[] {
  const pattern = fields.get("pattern");
  const given = fields.get("decision") ?? "allow";
  const decision = typeof given === "string" ? DECISIONS[given] : undefined;
  const read = `prefix_rule ${shown(pattern)} ${String(given)}`;
  if (!Array.isArray(pattern) || pattern.length === 0) return [leftOut(read, "it has no pattern")];
  if (!decision) return [leftOut(read, "its decision is unknown")];
  const prefixes = pattern.reduce<readonly string[] | undefined>(withWord, [""]);
  if (!prefixes) return [leftOut(read, "its pattern has words that a rule of Quoll can't hold")];
  if (prefixes.length > MAX_ALTERNATIVES) return [leftOut(read, `it stands for ${prefixes.length} rules`)];
  return prefixes.map((prefix) => rule(decision, `Bash(${prefix.trim()} *)`, read));
}

/** Appends one more word, or each of its alternatives, to the prefixes; undefined if a word has a special meaning. */
function withWord(prefixes: readonly string[] | undefined, part: Value): readonly string[] | undefined {
  const words = typeof part === "string" ? [part] : part;
  if (!words.every((word) => typeof word === "string" && PLAIN_WORD.test(word))) return undefined;
  return prefixes?.flatMap((prefix) => words.map((word) => `${prefix} ${String(word)}`));
}

function shown(value: Value | undefined): string {
  return value === undefined ? "" : JSON.stringify(value);
}

/** Reads `name = value, …)`. @returns undefined if a value is not a literal. */
function argumentsOf(text: string): ReadonlyMap<string, Value> | undefined {
  const tokens = tokensOf(text);
  const fields = new Map<string, Value>();
  let name: string | undefined;
  for (;;) {
    const { value: token, done } = tokens.next();
    if (done) return undefined;
    if (token === ")") return fields;
    if (token === ",") continue;
    if (token === "=") {
      const value = literal(tokens, tokens.next().value ?? "");
      if (value === undefined || name === undefined) return undefined;
      fields.set(name, value);
      name = undefined;
    } else name = token;
  }
}

function* tokensOf(text: string): Generator<string, undefined> {
  for (const [token] of text.matchAll(TOKEN)) if (!/^[\s#]/.test(token)) yield token;
  return undefined;
}

function literal(tokens: Iterator<string, undefined>, token: string): Value | undefined {
  const quoted = /^(["'])([\s\S]*)\1$/.exec(token)?.[2];
  if (quoted !== undefined && token.length > 1) return quoted.replace(/\\(.)/g, "$1");
  if (token !== "[") return undefined;
  const list: Value[] = [];
  for (;;) {
    const { value: next, done } = tokens.next();
    if (done) return undefined;
    if (next === "]") return list;
    if (next === ",") continue;
    const value = literal(tokens, next);
    if (value === undefined) return undefined;
    list.push(value);
  }
}
