import { decodeAnsiC } from "./ansi-c.ts";
import { readArithmetic } from "./lex-arithmetic.ts";
import { substitute, substituteBackticks } from "./lex-substitution.ts";
import { nested, type Scan, unclear } from "./reader.ts";
import { isProgramVariable, isShellVariable } from "./shell-variables.ts";
import { type Context, remember, type WordDraft } from "./word-draft.ts";

const LITERAL_AFTER_DOLLAR = new Set(["", ..." \t\n;&|)<>.,:/%^+="]);
const PLAIN_VARIABLE = /(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]|[?$#@*!-])/y;
const BRACED_VARIABLE = /\{(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$#@*!-])\}/y;
/** `${#x}`, `${#a[@]}`, `${!prefix*}`, `${!a[@]}`: these expand to a length or to names. */
const LENGTH_OR_NAMES =
  /\{(?:#(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])(?:\[(?:[@*]|[0-9]+)\])?|![A-Za-z_][A-Za-z0-9_]*(?:[@*]|\[[@*]\]))\}/y;
const PARAMETER = /\{(!?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])/y;
const KNOWN_SUBSCRIPT = /\[(?:[@*]|0|[1-9][0-9]{0,8})\]/y;
const OPERATOR = /:?[-=?+]|:|##?|%%?|\/[/#%]?|\^\^?|,,?|@/y;
/** Operators for quoting and case; not `P`, which expands the value as a prompt and runs its commands. */
const TRANSFORMS = /[QULEAKakul]\}/y;

/**
 * Parameters that are always one number; bash ignores an IFS in its environment, and a line that sets IFS is
 * unknown.
 */
const NUMERIC = /^\{?[?$#!]\}?$/;

/**
 * Reads the expansion that starts with the `$` at the current position. @throws {NotUnderstood} the expansion is
 * unknown.
 */
export function readDollar(scan: Scan, draft: WordDraft, context: Context): void {
  const { source } = scan;
  const start = scan.at;
  const next = source[start + 1] ?? "";
  if (next === "(" && source[start + 2] === "(") readComputed(scan, draft, context);
  else if (next === "(") substitute(scan, draft, "$(", context === "plain");
  else if (next === "[") throw unclear(scan, "it computes ($[…])", start, start + 20);
  else if (next === "'" && context === "plain") readAnsiC(scan, draft);
  else if (next === '"' && context === "plain") readTranslated(scan, draft);
  else if (!readVariable(scan, draft, context)) {
    if (next === "{") readParameter(scan, draft, context);
    else readBareDollar(scan, draft, context, next);
  }
}

function readVariable(scan: Scan, draft: WordDraft, context: Context): boolean {
  const start = scan.at;
  const isBraced = scan.source[start + 1] === "{";
  const found = match(isBraced ? BRACED_VARIABLE : PLAIN_VARIABLE, scan, start + 1);
  if (found === undefined) return false;
  if (isBraced) scan.text.openers.push({ at: start, kind: "${" });
  const maySplit = context === "plain" ? !NUMERIC.test(found) : found.includes("@");
  scan.at = start + 1 + found.length;
  remember(scan, draft, start, maySplit);
  return true;
}

function readBareDollar(scan: Scan, draft: WordDraft, context: Context, next: string): void {
  const isQuote = (context === "double" && next === '"') || (context === "heredoc" && /["'\\]/.test(next));
  if (!LITERAL_AFTER_DOLLAR.has(next) && !isQuote)
    throw unclear(scan, "a `$` stands before something unusual", scan.at, scan.at + 2);
  draft.parts.push("$");
  if (context === "plain") draft.hasBareDollar = true;
  scan.at += 1;
}

function readComputed(scan: Scan, draft: WordDraft, context: Context): void {
  const start = scan.at;
  scan.text.openers.push({ at: start, kind: "$(" });
  const isLiteral = nested(scan.line, scan.source.slice(start, start + 20), () =>
    within(scan, () => {
      scan.at += 3;
      return readArithmetic(scan, draft, "))", (inner, word) => readDollar(inner, word, "double"));
    }),
  );
  if (!isLiteral) draft.unknown.push(scan.source.slice(start, scan.at));
  remember(scan, draft, start, context === "plain" && !isLiteral);
}

function readAnsiC(scan: Scan, draft: WordDraft): void {
  const { source } = scan;
  const start = scan.at;
  let at = start + 2;
  while (at < source.length && source[at] !== "'") at += source[at] === "\\" ? 2 : 1;
  if (at >= source.length) throw unclear(scan, "a quote ($'…) is not closed", start, source.length);
  const text = decodeAnsiC(source.slice(start + 2, at));
  if (text === undefined) draft.known = false;
  else draft.parts.push(text);
  draft.isQuoted = true;
  scan.at = at + 1;
  if (scan.hidden === 0) scan.expansions.push({ start, end: scan.at });
}

/** `$"…"`: bash may replace the text with a translation, from a catalogue that only TEXTDOMAIN names. */
function readTranslated(scan: Scan, draft: WordDraft): void {
  scan.at += 1;
  readDouble(scan, draft, "plain");
  draft.known = false;
}

/**
 * Reads a `${…}` with more than a name, and finds its end as all versions of bash do. Refuses forms that versions
 * might read differently, or that surrounding quotes change.
 */
function readParameter(scan: Scan, draft: WordDraft, context: Context): void {
  const start = scan.at;
  scan.text.openers.push({ at: start, kind: "${" });
  const simple = match(LENGTH_OR_NAMES, scan, start + 1);
  if (simple !== undefined) scan.at = start + 1 + simple.length;
  else {
    const isKnown = nested(scan.line, scan.source.slice(start, start + 20), () =>
      within(scan, () => readParameterParts(scan, draft, context)),
    );
    if (!isKnown) draft.unknown.push(scan.source.slice(start, scan.at));
  }
  const text = scan.source.slice(start, scan.at);
  remember(scan, draft, start, context === "plain" || /[@*]/.test(text));
}

/** @returns false if the effect of the expansion is unknown. */
function readParameterParts(scan: Scan, draft: WordDraft, context: Context): boolean {
  const start = scan.at;
  PARAMETER.lastIndex = start + 1;
  const [text, indirect, name] = PARAMETER.exec(scan.source) ?? [];
  if (text === undefined || name === undefined)
    throw unclear(scan, "an expansion has an unusual form", start, start + 20);
  scan.at = start + 1 + text.length;
  let isKnown = indirect === "";
  if (scan.source[scan.at] === "[") {
    const subscript = match(KNOWN_SUBSCRIPT, scan, scan.at);
    if (subscript !== undefined) scan.at += subscript.length;
    else {
      scan.at += 1;
      readArithmetic(scan, draft, "]", (inner, word) => readDollar(inner, word, "double"));
      isKnown = false;
    }
  }
  if (scan.source[scan.at] === "}") {
    scan.at += 1;
    return isKnown;
  }
  const operator = match(OPERATOR, scan, scan.at);
  if (operator === undefined) throw unclear(scan, "an expansion has an unusual form", start, scan.at + 20);
  scan.at += operator.length;
  if (operator === ":") {
    return readArithmetic(scan, draft, "}", (inner, word) => readDollar(inner, word, "double")) && isKnown;
  }
  if (operator === "@") return readTransform(scan) && isKnown;
  readParameterWord(scan, draft, context, start);
  return isKnown && !(operator.endsWith("=") && (isShellVariable(name) || isProgramVariable(name)));
}

function readTransform(scan: Scan): boolean {
  const found = match(TRANSFORMS, scan, scan.at);
  const end = scan.source.indexOf("}", scan.at);
  if (found === undefined && !/^[A-Za-z]\}/.test(scan.source.slice(scan.at, end + 1)))
    throw unclear(scan, "an expansion has an unusual form", scan.at, scan.at + 20);
  scan.at += 2;
  return found !== undefined;
}

/** The word after `:-`, `#`, `/` and similar operators, including the `}`. */
function readParameterWord(scan: Scan, draft: WordDraft, context: Context, start: number): void {
  for (;;) {
    const char = scan.source[scan.at];
    const next = scan.source[scan.at + 1];
    if (char === undefined) throw unclear(scan, "an expansion is not closed", start, scan.at);
    if (char === "}") {
      scan.at += 1;
      return;
    }
    const isProcess = (char === "<" || char === ">") && next === "(";
    if (char === "\n" || char === "{" || (isProcess && context === "plain"))
      throw unclear(scan, "an expansion has an unusual form", start, scan.at + 1);
    if (char === "\\") {
      if (next === undefined || next === "\n") throw unclear(scan, "an expansion is not closed", start, scan.at);
      scan.at += 2;
    } else if (char === "'" || char === '"') readInnerQuote(scan, draft, context, start);
    else if (char === "`") substituteBackticks(scan, draft, context);
    else if (char === "$") readDollar(scan, draft, context);
    else scan.at += 1;
  }
}

/** In `"${…}"`, the preceding text decides if bash treats a single quote as a letter or as a quote. */
function readInnerQuote(scan: Scan, draft: WordDraft, context: Context, start: number): void {
  const isSingle = scan.source[scan.at] === "'";
  if (context === "heredoc" || (isSingle && context !== "plain"))
    throw unclear(scan, "quotes stand in an expansion within quotes", start, scan.at + 1);
  if (isSingle) readSingle(scan, draft);
  else readDouble(scan, draft, context);
}

export function readSingle(scan: Scan, draft: WordDraft): void {
  const end = scan.source.indexOf("'", scan.at + 1);
  if (end < 0) throw unclear(scan, "a single quote is not closed", scan.at, scan.source.length);
  draft.parts.push(scan.source.slice(scan.at + 1, end));
  draft.isQuoted = true;
  scan.at = end + 1;
}

/** @param outer The context of the expansion: within `"${…}"`, a quote is nested. */
export function readDouble(scan: Scan, draft: WordDraft, outer: Context): void {
  const open = scan.at;
  draft.isQuoted = true;
  scan.at += 1;
  for (;;) {
    const char = scan.source[scan.at];
    if (char === undefined) throw unclear(scan, "a double quote is not closed", open, scan.source.length);
    if (char === '"') break;
    if (outer !== "plain" && /[{}]/.test(char)) throw unclear(scan, "a brace stands in nested quotes", open, scan.at);
    if (char === "`") substituteBackticks(scan, draft, "double");
    else if (char === "$") readDollar(scan, draft, "double");
    else if (char === "\\") readDoubleEscape(scan, draft);
    else {
      if (char === "!") noteHistory(scan, draft, '"');
      draft.parts.push(char);
      scan.at += 1;
    }
  }
  scan.at += 1;
}

function readDoubleEscape(scan: Scan, draft: WordDraft): void {
  const next = scan.source[scan.at + 1] ?? "";
  if (next !== "\n") draft.parts.push('$`"\\'.includes(next) ? next : `\\${next}`);
  scan.at += 2;
}

const METACHARACTERS = new Set(["", ..." \t\n;&|()<>"]);

export function isMetacharacter(char: string): boolean {
  return METACHARACTERS.has(char);
}

/** Interactive shells expand `!name`. Our shell is not interactive, but we don't rely on that. */
export function noteHistory(scan: Scan, draft: WordDraft, quote: string): void {
  const next = scan.source[scan.at + 1] ?? "";
  if (next === "" || next === "=" || next === "(" || next === quote) return;
  if (next === " " || next === "\t" || next === "\n") return;
  if (quote === "" && isMetacharacter(next)) return;
  draft.known = false;
}

function within<T>(scan: Scan, read: () => T): T {
  scan.hidden += 1;
  const result = read();
  scan.hidden -= 1;
  return result;
}

function match(pattern: RegExp, scan: Scan, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(scan.source)?.[0];
}
