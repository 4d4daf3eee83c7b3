import { NotUnderstood } from "./not-understood.ts";
import { isShellVariable } from "./shell-variables.ts";
import type { WordToken } from "./tokens.ts";

const UNARY = new Set("-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -G -L -N -O -S".split(" "));
const COMPARISONS = new Set("= == != < > =~ -nt -ot -ef".split(" "));
const ARITHMETIC = new Set("-eq -ne -lt -le -gt -ge".split(" "));
/** Operators that run the subscript of a name such as `a[$(id)]`. */
const NAME_TESTS = new Set(["-v", "-R"]);
const INTEGER = /^-?(?:0|[1-9][0-9]{0,17})$/;
/** Matches parameters that are always one number or empty. */
const NUMERIC = /^"?\$(?:[#?!$]|\{[#?!$]\}|\{#[A-Za-z_][A-Za-z0-9_]*\})"?$/;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The maximum depth of nested parentheses in a condition. */
const MAX_PARENTHESES = 16;

export function isPlainName(text: string): boolean {
  return PLAIN_NAME.test(text);
}

type Rest = { readonly parts: readonly WordToken[]; at: number; isKnown: boolean };

/**
 * Judges the inside `[[ … ]]`. bash computes the operands of `-eq` and similar operators (a variable there can run
 * code), so they must be plain numbers.
 * @returns false if bash may run code in it.
 * @throws {NotUnderstood} bash has no such form.
 */
export function checkCondition(parts: readonly WordToken[]): boolean {
  const rest: Rest = { parts, at: 0, isKnown: true };
  readOr(rest, 0);
  if (rest.at < parts.length) throw unclear(parts);
  return rest.isKnown;
}

function readOr(rest: Rest, depth: number): void {
  if (depth > MAX_PARENTHESES) throw unclear(rest.parts);
  do readOne(rest, depth);
  while (take(rest, "&&") || take(rest, "||"));
}

function readOne(rest: Rest, depth: number): void {
  while (take(rest, "!"));
  if (take(rest, "(")) {
    readOr(rest, depth + 1);
    if (!take(rest, ")")) throw unclear(rest.parts);
    return;
  }
  const [first, second, third] = rest.parts.slice(rest.at, rest.at + 3);
  const count = isEnd(first) ? 0 : isEnd(second) ? 1 : isEnd(third) ? 2 : 3;
  if (count === 0) throw unclear(rest.parts);
  const operands = rest.parts.slice(rest.at, rest.at + count);
  const verdict = checkShape(operands, false);
  if (verdict === "odd") throw unclear(rest.parts);
  rest.isKnown &&= verdict === "known";
  rest.at += count;
}

function isEnd(part: WordToken | undefined): boolean {
  return part === undefined || (!part.isQuoted && /^(?:&&|\|\||[()])$/.test(part.word.source));
}

function take(rest: Rest, text: string): boolean {
  const part = rest.parts[rest.at];
  if (part === undefined || part.isQuoted || part.word.source !== text) return false;
  rest.at += 1;
  return true;
}

/**
 * Judges the operands of `test` and `[` (closing bracket removed). Their `-eq` accepts only numbers. However, a
 * variable that may become several words, or that is in the place of an operator, may turn the test into `-v
 * 'a[$(id)]'`.
 * @returns false if bash may run code in it.
 */
export function testIsKnown(operands: readonly WordToken[]): boolean {
  const isStatic = operands.every(({ word }) => word.value !== undefined && !word.isGlob);
  if (isStatic && !operands.some(({ word }) => NAME_TESTS.has(word.value ?? ""))) return true;
  if (operands.some(({ maySplit, word }) => maySplit || word.isGlob)) return false;
  let rest = operands;
  while (rest.length > 1 && rest[0]?.word.source === "!") rest = rest.slice(1);
  return rest.length <= 3 && checkShape(rest, true) === "known";
}

/** One test of at most three words. */
function checkShape(operands: readonly WordToken[], isBuiltin: boolean): "known" | "unknown" | "odd" {
  const [first, second, third] = operands;
  if (operands.length === 1 && first) return "known";
  if (operands.length === 2 && first && second) {
    const operator = first.word.source;
    if (UNARY.has(operator)) return "known";
    if (!NAME_TESTS.has(operator)) return "odd";
    return isPlainName(second.word.source) && !isShellVariable(second.word.source) ? "known" : "unknown";
  }
  if (operands.length !== 3 || !first || !second || !third) return "odd";
  const operator = second.word.source;
  if (COMPARISONS.has(operator)) return "known";
  if (!ARITHMETIC.has(operator)) return "odd";
  const numbers = [first, third].every(({ word }) => INTEGER.test(word.value ?? "") || NUMERIC.test(word.source));
  return isBuiltin || numbers ? "known" : "unknown";
}

function unclear(parts: readonly WordToken[]): NotUnderstood {
  return new NotUnderstood("a test has a form that is not known", parts.map(({ word }) => word.source).join(" "));
}
