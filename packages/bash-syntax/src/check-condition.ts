import { NotUnderstood } from "./not-understood.ts";
import type { WordToken } from "./tokens.ts";

const UNARY = new Set("-b -c -d -e -f -g -h -k -n -p -r -s -t -u -w -x -z -G -L -N -O -S".split(" "));
const COMPARISONS = new Set("= == != -nt -ot -ef".split(" "));
const ARITHMETIC = new Set("-eq -ne -lt -le -gt -ge".split(" "));
/** Run the subscript of a name such as `a[$(id)]`. */
const NAME_TESTS = new Set(["-v", "-R"]);
const INTEGER = /^-?(?:0|[1-9][0-9]{0,17})$/;
export const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Judges `[[ … ]]`, given with both brackets. Only one test, perhaps negated, is known.
 * Operands of `-eq` and the like are computed by bash (a variable there can run code), so they must be plain numbers.
 * @throws {NotUnderstood}
 */
export function checkCondition(words: readonly WordToken[]): void {
  checkShape(words, words.slice(1, -1), false);
}

/**
 * Judges the operands of `test` and `[` (closing bracket removed). Their `-eq` takes numbers only, but a variable that
 * may become several words, or stand where an operator could, may turn the test into `-v 'a[$(id)]'`.
 * @throws {NotUnderstood}
 */
export function checkTest(all: readonly WordToken[], operands: readonly WordToken[]): void {
  const isStatic = operands.every(({ word }) => word.value !== undefined && !word.isGlob);
  if (isStatic && !operands.some(({ word }) => NAME_TESTS.has(word.value ?? ""))) return;
  if (operands.some(({ maySplit, word }) => maySplit || word.isGlob))
    throw unclear(all, "a test may become several words");
  checkShape(all, operands, true);
}

function checkShape(all: readonly WordToken[], operands: readonly WordToken[], isBuiltin: boolean): void {
  let rest = operands;
  while (rest.length > 1 && rest[0]?.word.source === "!") rest = rest.slice(1);
  const [first, second, third] = rest;
  if (rest.length === 1 && first) return;
  if (rest.length === 2 && first && second) {
    const operator = first.word.source;
    if (UNARY.has(operator)) return;
    if (NAME_TESTS.has(operator) && PLAIN_NAME.test(second.word.source)) return;
  }
  if (rest.length === 3 && first && second && third) {
    const operator = second.word.source;
    if (COMPARISONS.has(operator)) return;
    const numbers = [first, third].every(({ word }) => INTEGER.test(word.value ?? ""));
    if (ARITHMETIC.has(operator) && (isBuiltin || numbers)) return;
  }
  throw unclear(all, "a test has a form that is not known");
}

function unclear(words: readonly WordToken[], reason: string): NotUnderstood {
  return new NotUnderstood(reason, words.map(({ word }) => word.source).join(" "));
}
