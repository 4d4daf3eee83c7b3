import { substituteBackticks } from "./lex-substitution.ts";
import { type Scan, unclear } from "./reader.ts";
import type { WordDraft } from "./word-draft.ts";

const NUMBER = /(?:0[xX][0-9a-fA-F]+|[0-9]+(?:#[0-9A-Za-z@_]+)?)(?![0-9A-Za-z_@#])/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** Always one number, or nothing. */
const NUMERIC = /\$(?:[#?!$](?![A-Za-z_0-9])|\{[#?!$]\}|\{#[A-Za-z_][A-Za-z0-9_]*\})/y;
const OPERATORS = new Set(" \t+-*/%<>=!&|^~?:,");

/** What is read inside: `$name`, `$(…)` and so on. */
export type ReadDollar = (scan: Scan, draft: WordDraft) => void;

/**
 * Reads an arithmetic expression up to and with `closing`. bash evaluates the values of its variables again, and runs what
 * stands in a subscript there, so that only one of literal numbers is harmless.
 * @returns true when it consists of numbers and operators only, `$#` and the like among the numbers.
 * @throws {NotUnderstood} quotes, a line break, or what doesn't close.
 */
export function readArithmetic(
  scan: Scan,
  draft: WordDraft,
  closing: "))" | "]" | "}",
  readDollar: ReadDollar,
  separators = "",
): boolean {
  const { source } = scan;
  const start = scan.at;
  const open: string[] = [];
  let isLiteral = true;
  for (;;) {
    const char = source[scan.at];
    if (open.length === 0 && source.startsWith(closing, scan.at)) {
      scan.at += closing.length;
      return isLiteral;
    }
    if (char === undefined || char === "\n") throw unclear(scan, "an expression is not closed", start, scan.at);
    if (char === "$") {
      NUMERIC.lastIndex = scan.at;
      isLiteral &&= NUMERIC.test(source);
      readDollar(scan, draft);
    } else if (char === "`") {
      isLiteral = false;
      substituteBackticks(scan, draft, "double");
    } else if (match(NUMBER, scan)) continue;
    else if (match(NAME, scan)) isLiteral = false;
    else if (char === "(" || char === "[") {
      open.push(char);
      if (char === "[") isLiteral = false;
      scan.at += 1;
    } else if (char === ")" || char === "]") {
      if (open.pop() !== (char === ")" ? "(" : "["))
        throw unclear(scan, "an expression's brackets don't match", start, scan.at + 1);
      scan.at += 1;
    } else if (OPERATORS.has(char) || separators.includes(char)) scan.at += 1;
    else throw unclear(scan, "an expression has an unusual form", start, scan.at + 1);
  }
}

function match(pattern: RegExp, scan: Scan): boolean {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.source);
  if (found) scan.at += found[0].length;
  return found !== null;
}
