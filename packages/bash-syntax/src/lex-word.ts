import { expandBraces } from "./expand-braces.ts";
import { isMetacharacter, noteHistory, readDollar, readDouble, readSingle } from "./lex-expansion.ts";
import { substitute, substituteBackticks } from "./lex-substitution.ts";
import { MAX_SPELLED_WORDS, nested, type Scan, unclear } from "./reader.ts";
import type { WordToken } from "./tokens.ts";
import type { ShellWord } from "./types.ts";
import { newWordDraft, type WordDraft } from "./word-draft.ts";

const ARRAY_START = /^[A-Za-z_][A-Za-z0-9_]*\+?=$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const KNOWN_ELEMENT = /^\[(?:0|[1-9][0-9]{0,8})\]=/;
/** The key of an associative array or a computed variable; other code reports which of the two. */
const NAMED_ELEMENT = /^\[[\w.-]+\]=/;

/** True when `offset` is a backslash before a newline: bash removes both before it reads on. */
export function isContinuation(source: string, offset: number): boolean {
  return source[offset] === "\\" && source[offset + 1] === "\n";
}

/**
 * Reads one word and resolves its quoting as bash does ("Quoting" and "Quote Removal" in the bash manual).
 * Substitutions inside the word are read as well; an expansion leaves the word's value unknown.
 * @throws {NotUnderstood} a quote is not closed, or a form is unknown.
 */
export function lexWord(scan: Scan): WordToken {
  const { source } = scan;
  const start = scan.at;
  const draft = newWordDraft();
  while (!endsWord(source, scan.at)) {
    if (isContinuation(source, scan.at)) {
      if (endsAfterContinuations(source, scan.at)) break;
      throw unclear(scan, "a word goes on after a backslash at the end of a line", start, scan.at + 2);
    }
    step(scan, draft, start);
  }
  if (source[scan.at] === "(" && !draft.isQuoted && ARRAY_START.test(source.slice(start, scan.at)))
    nested(scan.line, source.slice(start, scan.at), () => readArray(scan, draft, start));
  if (scan.at === start) throw unclear(scan, "a word is missing", start, start + 1);
  // bash may read on to the `]`, over blanks and comment signs.
  if (draft.brackets > 0) throw unclear(scan, "a subscript is not closed", start, scan.at);
  return finish(scan, draft, start);
}

/** `a<(b)` is one word. */
function endsWord(source: string, at: number): boolean {
  const char = source[at] ?? "";
  return isMetacharacter(char) && !startsProcess(source, at);
}

function startsProcess(source: string, at: number): boolean {
  return (source[at] === "<" || source[at] === ">") && source[at + 1] === "(";
}

function step(scan: Scan, draft: WordDraft, start: number): void {
  const char = scan.source[scan.at] ?? "";
  const tilde = draft.tilde;
  draft.tilde = false;
  if (char === "'") readSingle(scan, draft);
  else if (char === '"') readDouble(scan, draft, "plain");
  else if (char === "\\") readEscaped(scan, draft);
  else if (char === "$") readDollar(scan, draft, "plain");
  else if (char === "`") substituteBackticks(scan, draft, "plain");
  else if (char === "<" || char === ">") substitute(scan, draft, char === "<" ? "<(" : ">(", false);
  else readPlain(scan, draft, { char, tilde, start });
}

type Plain = { readonly char: string; readonly tilde: boolean; readonly start: number };

function readPlain(scan: Scan, draft: WordDraft, { char, tilde, start }: Plain): void {
  if (char === "~" && tilde) draft.known = false;
  else if (char === "*" || char === "?" || char === "[") draft.isGlob = true;
  else if (char === "{" && draft.braceAt < 0) draft.braceAt = scan.at + 1;
  else if (char === "!") noteHistory(scan, draft, "");
  else if (char === "=" || char === ":") draft.tilde = true;
  if (char === "[" && (draft.brackets > 0 || NAME.test(scan.source.slice(start, scan.at)))) draft.brackets += 1;
  if (char === "]" && draft.brackets > 0) draft.brackets -= 1;
  draft.parts.push(char);
  scan.at += 1;
}

function readEscaped(scan: Scan, draft: WordDraft): void {
  const next = scan.source[scan.at + 1];
  if (next === undefined) throw unclear(scan, "a backslash stands at the very end", scan.at, scan.at + 1);
  draft.parts.push(next);
  draft.isQuoted = true;
  scan.at += 2;
}

/** Reads `name=(word …)`, starting at its `(`. */
function readArray(scan: Scan, draft: WordDraft, start: number): void {
  const { source } = scan;
  scan.at += 1;
  draft.known = false;
  draft.isGlob = false;
  draft.braceAt = -1;
  for (;;) {
    const char = source[scan.at] ?? "";
    if (char === ")") break;
    if (char === "\n") scan.text.openers.push({ at: scan.at, kind: "\n" });
    if (char === " " || char === "\t" || char === "\n") scan.at += 1;
    else if (char === "#" || isContinuation(source, scan.at) || endsWord(source, scan.at))
      throw unclear(scan, "an array has an unusual form", start, scan.at + 1);
    else readElement(scan, draft);
  }
  scan.at += 1;
  if (!endsWord(source, scan.at)) throw unclear(scan, "an array has an unusual form", start, scan.at + 1);
}

function readElement(scan: Scan, draft: WordDraft): void {
  const element = lexWord(scan);
  const { source } = element.word;
  const isKnown = !source.startsWith("[") || KNOWN_ELEMENT.test(source);
  if (!isKnown && !NAMED_ELEMENT.test(source))
    throw unclear(scan, "an array's subscript is not known", element.start, element.end);
  draft.inner.push(...element.inner);
  draft.unknown.push(...element.unknown, ...(isKnown ? [] : [source]));
}

function finish(scan: Scan, draft: WordDraft, start: number): WordToken {
  const source = scan.source.slice(start, scan.at);
  const hasBraces = draft.braceAt >= 0 && /,|\.\./.test(scan.source.slice(draft.braceAt, scan.at));
  const words = hasBraces ? spellOut(scan, draft, source) : undefined;
  if (hasBraces) {
    draft.known = false;
    draft.maySplit ||= words === undefined;
    if (draft.hasBareDollar) draft.unknown.push(source);
  }
  const isGlob = draft.isGlob && source !== "[" && source !== "[[";
  const word = { source, value: draft.known ? draft.parts.join("") : undefined, isGlob };
  return {
    kind: "word",
    start,
    end: scan.at,
    word,
    words: words ?? [word],
    maySplit: draft.maySplit,
    isQuoted: draft.isQuoted,
    inner: draft.inner,
    unknown: draft.unknown,
  };
}

/** The words of a brace expansion without other expansions. */
function spellOut(scan: Scan, draft: WordDraft, source: string): readonly ShellWord[] | undefined {
  if (!draft.known || draft.hasBareDollar || source.includes("$") || scan.line.spelled > MAX_SPELLED_WORDS)
    return undefined;
  const texts = expandBraces(source)?.filter((text) => text !== "");
  scan.line.spelled += texts?.length ?? 0;
  const words = texts?.map((text) => spelledWord(scan, text));
  return words?.some((word) => word === undefined) ? undefined : words?.filter((word) => word !== undefined);
}

function spelledWord(scan: Scan, text: string): ShellWord | undefined {
  const inner: Scan = { ...scan, text: unseen(text), source: text, at: 0, expansions: [] };
  const draft = newWordDraft();
  while (inner.at < text.length) step(inner, draft, 0);
  return draft.known ? { source: text, value: draft.parts.join(""), isGlob: draft.isGlob && text !== "[" } : undefined;
}

/** The results of brace expansion do not occur in the source, so the independent scan need not agree on them. */
function unseen(source: string): Scan["text"] {
  return { source, mode: "commands", openers: [] };
}

function endsAfterContinuations(source: string, offset: number): boolean {
  let at = offset;
  while (isContinuation(source, at)) at += 2;
  const next = source[at] ?? "";
  return next === " " || next === "\t" || next === "\n" || next === "";
}
