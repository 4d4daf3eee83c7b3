import { substituteBackticks } from "./lex-substitution.ts";
import { type Scan, unclear } from "./reader.ts";
import type { WordDraft } from "./word-draft.ts";

const NUMBER = /(?:0[xX][0-9a-fA-F]+|[0-9]+(?:#[0-9A-Za-z@_]+)?)(?![0-9A-Za-z_@#])/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** Matches parameters that are always one number or empty. */
const NUMERIC = /\$(?:[#?!$](?![A-Za-z_0-9])|\{[#?!$]\}|\{#[A-Za-z_][A-Za-z0-9_]*\})/y;
const OPERATORS = new Set(" \t+-*/%<>=!&|^~?:,");
/** A decimal or hexadecimal number; `$#`, `$?`, `$$` and the length of a variable are always numbers. */
const PLAIN_NUMBER = /0[xX][0-9a-fA-F]{1,15}(?!\w)|(?:0|[1-9]\d{0,17})(?![\w#])|\$[#?$](?!\w)|\$\{(?:[#?$]|#\w+)\}/y;
/**
 * The operators without `/`, `%`, `**`, `<<`, `?` and `=`, which fail with some numbers or need more than two
 * operands.
 */
const SAFE_OPERATOR = /[<>=!]=|&&|\|\||\+(?!\+)|-(?!-)|\*(?!\*)|<(?!<)|>(?!>)|[&|^,]/y;
const SIGN = /[-+!~]/y;

/** Reads an expansion inside the expression: `$name`, `$(…)` and so on. */
export type ReadDollar = (scan: Scan, draft: WordDraft) => void;

/**
 * Reads an arithmetic expression up to and with `closing`. bash evaluates the values of its variables again, and
 * runs the code in their subscripts. If an expression fails (`1/0`, `08`), bash skips the rest of the line.
 * Therefore, only an expression of literal numbers that surely has a value is harmless.
 * @returns true for a harmless expression; `$#` and similar parameters count as numbers.
 * @throws {NotUnderstood} the expression contains quotes or a line break, or is not closed.
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
      const text = source.slice(start, scan.at);
      scan.at += closing.length;
      return isLiteral && (closing === "}" ? isPlace(text) : text.split(separators || "\0").every(neverFails));
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

/** The offset and length of a part: plain numbers. A length that counts from the end fails if the text is too short. */
function isPlace(text: string): boolean {
  return /^\s*(?:-?(?:0|[1-9]\d{0,8}))?\s*(?::\s*(?:0|[1-9]\d{0,8})?\s*)?$/.test(text);
}

/** True if an expression surely has a value. The check is stricter than bash and takes one pass. */
function neverFails(text: string): boolean {
  const scan = { source: text, at: 0 };
  let depth = 0;
  let wantsTerm = true;
  let isSigned = false;
  for (;;) {
    while (text[scan.at] === " " || text[scan.at] === "\t") scan.at += 1;
    if (scan.at >= text.length) return (depth === 0 && !wantsTerm) || text.trim() === "";
    if (wantsTerm) {
      if (match(PLAIN_NUMBER, scan)) wantsTerm = false;
      else if (text[scan.at] === "(") {
        depth += 1;
        scan.at += 1;
        isSigned = false;
      } else if (isSigned || !match(SIGN, scan)) return false;
      else isSigned = true;
    } else if (text[scan.at] === ")") {
      depth -= 1;
      scan.at += 1;
      if (depth < 0) return false;
    } else if (match(SAFE_OPERATOR, scan)) {
      wantsTerm = true;
      isSigned = false;
    } else return false;
  }
}

function match(pattern: RegExp, scan: { readonly source: string; at: number }): boolean {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.source);
  if (found) scan.at += found[0].length;
  return found !== null;
}
