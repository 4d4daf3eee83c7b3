import { decodeAnsiC } from "./ansi-c.ts";
import { NotUnderstood } from "./not-understood.ts";
import type { Span, WordToken } from "./tokens.ts";

/** What a lexer remembers between tokens. */
export type Scan = {
  readonly source: string;
  at: number;
  readonly expansions: Span[];
};

/** A word while it is read. */
type Draft = {
  /** Text after quote removal, as far as it is known. */
  readonly parts: string[];
  known: boolean;
  isGlob: boolean;
  maySplit: boolean;
  isQuoted: boolean;
  /** Offset just after the first unquoted `{`, or -1. */
  braceAt: number;
  /** Whether an unquoted `~` here would be a home folder. */
  tilde: boolean;
};

const METACHARACTERS = new Set(["", " ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">"]);
const LITERAL_AFTER_DOLLAR = new Set([
  "",
  " ",
  "\t",
  "\n",
  ";",
  "&",
  "|",
  ")",
  "<",
  ">",
  ".",
  ",",
  ":",
  "/",
  "%",
  "^",
  "+",
  "=",
]);
const PLAIN_VARIABLE = /(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]|[?$#@*!-])/y;
const BRACED_VARIABLE = /\{(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$#@*!-])\}/y;

/** Always one number; bash takes no IFS from its environment, and setting one is not understood. */
const NUMERIC = /^\{?[?$#!]\}?$/;

export function isMetacharacter(char: string): boolean {
  return METACHARACTERS.has(char);
}

/** True when `offset` is a backslash before a newline: bash removes both before it reads on. */
export function isContinuation(source: string, offset: number): boolean {
  return source[offset] === "\\" && source[offset + 1] === "\n";
}

/**
 * Reads one word and resolves its quoting as bash does ("Quoting" and "Quote Removal" in the bash manual).
 * Only plain `$name` and `${name}` pass as expansions; they leave the value unknown.
 * @throws {NotUnderstood} anything that could run code, or an open quote.
 */
export function lexWord(scan: Scan): WordToken {
  const { source } = scan;
  const start = scan.at;
  const draft: Draft = {
    parts: [],
    known: true,
    isGlob: false,
    maySplit: false,
    isQuoted: false,
    braceAt: -1,
    tilde: true,
  };
  while (!isMetacharacter(source[scan.at] ?? "")) {
    if (isContinuation(source, scan.at)) {
      if (endsAfterContinuations(source, scan.at)) break;
      throw unclear(scan, "a word goes on after a backslash at the end of a line", start, scan.at + 2);
    }
    step(scan, draft);
  }
  if (source[scan.at] === "(") throw unclear(scan, "a `(` follows a word directly", start, scan.at + 1);
  return finish(scan, draft, start);
}

function step(scan: Scan, draft: Draft): void {
  const char = scan.source[scan.at] ?? "";
  const tilde = draft.tilde;
  draft.tilde = false;
  if (char === "'") single(scan, draft);
  else if (char === '"') double(scan, draft);
  else if (char === "\\") escaped(scan, draft);
  else if (char === "$") dollar(scan, draft, false);
  else plain(scan, draft, char, tilde);
}

function plain(scan: Scan, draft: Draft, char: string, tilde: boolean): void {
  if (char === "`") throw unclear(scan, "it substitutes a command (`…`)", scan.at, scan.at + 20);
  if (char === "~" && tilde) draft.known = false;
  else if (char === "*" || char === "?" || char === "[") draft.isGlob = true;
  else if (char === "{" && draft.braceAt < 0) draft.braceAt = scan.at + 1;
  else if (char === "!") history(scan, draft, "");
  else if (char === "=" || char === ":") draft.tilde = true;
  draft.parts.push(char);
  scan.at += 1;
}

function finish(scan: Scan, draft: Draft, start: number): WordToken {
  const source = scan.source.slice(start, scan.at);
  if (draft.braceAt >= 0 && /,|\.\./.test(scan.source.slice(draft.braceAt, scan.at))) {
    draft.known = false;
    draft.maySplit = true;
  }
  const isGlob = draft.isGlob && source !== "[" && source !== "[[";
  return {
    kind: "word",
    start,
    end: scan.at,
    word: { source, value: draft.known ? draft.parts.join("") : undefined, isGlob },
    maySplit: draft.maySplit,
    startsWithGlob: isGlob && /^[*?[]/.test(source),
    isQuoted: draft.isQuoted,
  };
}

function single(scan: Scan, draft: Draft): void {
  const end = scan.source.indexOf("'", scan.at + 1);
  if (end < 0) throw unclear(scan, "a single quote is not closed", scan.at, scan.source.length);
  draft.parts.push(scan.source.slice(scan.at + 1, end));
  draft.isQuoted = true;
  scan.at = end + 1;
}

function escaped(scan: Scan, draft: Draft): void {
  const next = scan.source[scan.at + 1];
  if (next === undefined) throw unclear(scan, "a backslash stands at the very end", scan.at, scan.at + 1);
  draft.parts.push(next);
  draft.isQuoted = true;
  scan.at += 2;
}

function double(scan: Scan, draft: Draft): void {
  const open = scan.at;
  draft.isQuoted = true;
  scan.at += 1;
  for (;;) {
    const char = scan.source[scan.at];
    if (char === undefined) throw unclear(scan, "a double quote is not closed", open, scan.source.length);
    if (char === '"') break;
    if (char === "`") throw unclear(scan, "it substitutes a command (`…`)", scan.at, scan.at + 20);
    if (char === "$") dollar(scan, draft, true);
    else if (char === "\\") doubleEscape(scan, draft);
    else {
      if (char === "!") history(scan, draft, '"');
      draft.parts.push(char);
      scan.at += 1;
    }
  }
  scan.at += 1;
}

function doubleEscape(scan: Scan, draft: Draft): void {
  const next = scan.source[scan.at + 1] ?? "";
  if (next !== "\n") draft.parts.push('$`"\\'.includes(next) ? next : `\\${next}`);
  scan.at += 2;
}

/** Interactive shells expand `!name`; ours is not one, but we don't build on that. */
function history(scan: Scan, draft: Draft, quote: string): void {
  const next = scan.source[scan.at + 1] ?? "";
  if (next === "" || next === "=" || next === "(" || next === quote) return;
  if (next === " " || next === "\t" || next === "\n") return;
  if (quote === "" && isMetacharacter(next)) return;
  draft.known = false;
}

function dollar(scan: Scan, draft: Draft, quoted: boolean): void {
  const { source } = scan;
  const start = scan.at;
  const next = source[start + 1] ?? "";
  if (next === "(")
    throw unclear(
      scan,
      source[start + 2] === "(" ? "it computes ($((…)))" : "it substitutes a command ($(…))",
      start,
      start + 20,
    );
  if (next === "[") throw unclear(scan, "it computes ($[…])", start, start + 20);
  if (next === "'" && !quoted) {
    ansiC(scan, draft);
    return;
  }
  if (next === '"' && !quoted)
    throw unclear(scan, 'a translated string ($"…") depends on the locale', start, start + 20);
  const pattern = next === "{" ? BRACED_VARIABLE : PLAIN_VARIABLE;
  pattern.lastIndex = start + 1;
  const found = pattern.exec(source);
  if (found) {
    draft.known = false;
    draft.maySplit ||= quoted ? found[0].includes("@") : !NUMERIC.test(found[0]);
    scan.at = start + 1 + found[0].length;
    scan.expansions.push({ start, end: scan.at });
    return;
  }
  if (next === "{") throw unclear(scan, "an expansion does more than name a variable", start, start + 20);
  if (!LITERAL_AFTER_DOLLAR.has(next) && !(quoted && next === '"'))
    throw unclear(scan, "a `$` stands before something unusual", start, start + 2);
  draft.parts.push("$");
  scan.at += 1;
}

function ansiC(scan: Scan, draft: Draft): void {
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
  scan.expansions.push({ start, end: scan.at });
}

function endsAfterContinuations(source: string, offset: number): boolean {
  let at = offset;
  while (isContinuation(source, at)) at += 2;
  const next = source[at] ?? "";
  return next === " " || next === "\t" || next === "\n" || next === "";
}

function unclear(scan: Scan, reason: string, start: number, end: number): NotUnderstood {
  return new NotUnderstood(reason, scan.source.slice(start, end));
}
