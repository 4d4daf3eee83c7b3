import { checkCondition } from "./check-condition.ts";
import { NotUnderstood } from "./not-understood.ts";
import { parseRedirect } from "./parse-redirect.ts";
import type { CommandDraft, Reader } from "./reader.ts";
import { checkAssigned } from "./shell-variables.ts";
import type { Token, WordToken } from "./tokens.ts";
import type { Assignment, Redirect } from "./types.ts";

/** Compound commands inside each other; deeper sources are not understood. */
export const MAX_DEPTH = 64;

const RESERVED = new Set(
  "! [[ ]] { } case coproc do done elif else esac fi for function if in select then until while".split(" "),
);
const UNSUPPORTED: Readonly<Record<string, string>> = {
  function: "it defines a function",
  select: "it asks the terminal (select)",
  coproc: "it starts a coprocess",
};
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/;

/**
 * Reads all simple commands of a token list, following the grammar of POSIX 2.10 with bash's additions.
 * @throws {NotUnderstood} for what that grammar, or our part of it, does not hold.
 */
export function parseCommands(source: string, tokens: readonly Token[]): readonly CommandDraft[] {
  const reader: Reader = { tokens, source, at: 0, depth: 0, drafts: [] };
  readList(reader, [], false, true);
  if (reader.at < tokens.length) throw unexpected(reader);
  return reader.drafts;
}

export function isReserved(word: WordToken): boolean {
  return !word.isQuoted && RESERVED.has(word.word.source);
}

/** The raw text of the next token; words are marked so that `;` and `";"` differ. */
function peek(reader: Reader): string | undefined {
  const token = reader.tokens[reader.at];
  if (token?.kind === "operator") return token.text;
  if (token?.kind === "word" && isReserved(token)) return token.word.source;
  return token === undefined ? undefined : ` ${token.kind}`;
}

function skipNewlines(reader: Reader): void {
  while (reader.tokens[reader.at]?.kind === "newline") reader.at += 1;
}

function expect(reader: Reader, text: string): void {
  if (peek(reader) !== text) throw unexpected(reader, text);
  reader.at += 1;
}

function unexpected(reader: Reader, wanted?: string): NotUnderstood {
  const token = reader.tokens[reader.at];
  const want = wanted === undefined ? "" : `, where \`${wanted}\` was expected`;
  if (token === undefined) return new NotUnderstood(`the command ends too early${want}`, reader.source);
  return new NotUnderstood(`unexpected syntax${want}`, reader.source.slice(token.start, token.end));
}

/** Reads commands up to one of `ends` (not consumed), or to the end of the source when `ends` is empty. */
function readList(reader: Reader, ends: readonly string[], conditional: boolean, mayBeEmpty = false): void {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw new NotUnderstood(`commands are nested deeper than ${MAX_DEPTH}`, reader.source);
  const atEnd = () => {
    const next = peek(reader);
    return ends.length === 0 ? next === undefined : next !== undefined && ends.includes(next);
  };
  skipNewlines(reader);
  if (atEnd() && !mayBeEmpty) throw unexpected(reader);
  while (!atEnd()) {
    const first = reader.drafts.length;
    readAndOr(reader, conditional);
    const separator = peek(reader);
    if (separator === "&") markConditional(reader, first);
    if (separator === "&" || separator === ";" || separator === " newline") reader.at += 1;
    else if (!atEnd()) throw unexpected(reader);
    skipNewlines(reader);
  }
  reader.depth -= 1;
}

function markConditional(reader: Reader, from: number): void {
  for (const draft of reader.drafts.slice(from)) draft.conditional = true;
}

function readAndOr(reader: Reader, conditional: boolean): void {
  readPipeline(reader, conditional);
  while (peek(reader) === "&&" || peek(reader) === "||") {
    reader.at += 1;
    skipNewlines(reader);
    readPipeline(reader, true);
  }
}

function readPipeline(reader: Reader, conditional: boolean): void {
  const first = reader.drafts.length;
  while (peek(reader) === "!") reader.at += 1;
  readCommand(reader, conditional);
  if (peek(reader) !== "|" && peek(reader) !== "|&") return;
  while (peek(reader) === "|" || peek(reader) === "|&") {
    reader.at += 1;
    skipNewlines(reader);
    readCommand(reader, true);
  }
  markConditional(reader, first);
}

function readCommand(reader: Reader, conditional: boolean): void {
  const head = peek(reader);
  if (head === " word" || head === " redirect" || head === " descriptor") readSimple(reader, conditional);
  else if (head === "[[") readCondition(reader, conditional);
  else readCompound(reader, head, conditional);
}

function readCompound(reader: Reader, head: string | undefined, conditional: boolean): void {
  reader.at += 1;
  if (head === "(") readGroup(reader, ")", true);
  else if (head === "{") readGroup(reader, "}", conditional);
  else if (head === "if") readIf(reader);
  else if (head === "while" || head === "until") readLoop(reader);
  else if (head === "for") readFor(reader);
  else if (head === "case") readCase(reader);
  else {
    reader.at -= 1;
    const reason = head === undefined ? undefined : UNSUPPORTED[head];
    throw reason === undefined ? unexpected(reader) : new NotUnderstood(reason, head ?? "");
  }
  const redirects = readRedirects(reader);
  if (redirects.length > 0) reader.drafts.push({ words: [], assignments: [], redirects, conditional });
}

function readGroup(reader: Reader, end: string, conditional: boolean): void {
  readList(reader, [end], conditional);
  expect(reader, end);
}

function readIf(reader: Reader): void {
  readList(reader, ["then"], true);
  expect(reader, "then");
  readList(reader, ["elif", "else", "fi"], true);
  if (peek(reader) === "elif") {
    reader.at += 1;
    reader.depth += 1;
    readIf(reader);
    reader.depth -= 1;
    return;
  }
  if (peek(reader) === "else") {
    reader.at += 1;
    readList(reader, ["fi"], true);
  }
  expect(reader, "fi");
}

function readLoop(reader: Reader): void {
  readList(reader, ["do"], true);
  readBody(reader);
}

function readBody(reader: Reader): void {
  expect(reader, "do");
  readList(reader, ["done"], true);
  expect(reader, "done");
}

function readFor(reader: Reader): void {
  const name = readWord(reader);
  if (name.isQuoted || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name.word.source))
    throw new NotUnderstood("a loop variable has an unusual name", name.word.source);
  checkAssigned(name.word.source);
  skipNewlines(reader);
  if (peek(reader) === "in") {
    reader.at += 1;
    while (reader.tokens[reader.at]?.kind === "word") reader.at += 1;
    if (peek(reader) !== ";" && peek(reader) !== " newline") throw unexpected(reader);
  }
  if (peek(reader) === ";") reader.at += 1;
  skipNewlines(reader);
  readBody(reader);
}

function readCase(reader: Reader): void {
  readWord(reader);
  skipNewlines(reader);
  expect(reader, "in");
  skipNewlines(reader);
  while (peek(reader) !== "esac") {
    if (peek(reader) === "(") reader.at += 1;
    readPattern(reader);
    while (peek(reader) === "|") {
      reader.at += 1;
      readPattern(reader);
    }
    expect(reader, ")");
    readList(reader, [";;", ";&", ";;&", "esac"], true, true);
    if (peek(reader) === "esac") break;
    reader.at += 1;
    skipNewlines(reader);
  }
  expect(reader, "esac");
}

function readPattern(reader: Reader): void {
  if (isReserved(readWord(reader))) {
    reader.at -= 1;
    throw unexpected(reader);
  }
}

function readWord(reader: Reader): WordToken {
  const token = reader.tokens[reader.at];
  if (token?.kind !== "word") throw unexpected(reader);
  reader.at += 1;
  return token;
}

function readCondition(reader: Reader, conditional: boolean): void {
  const words: WordToken[] = [];
  do words.push(readWord(reader));
  while (words.at(-1)?.word.source !== "]]");
  checkCondition(words);
  const redirects = readRedirects(reader);
  reader.drafts.push({ words, assignments: [], redirects, conditional });
}

function readRedirects(reader: Reader): readonly Redirect[] {
  const redirects: Redirect[] = [];
  for (;;) {
    const kind = reader.tokens[reader.at]?.kind;
    if (kind !== "redirect" && kind !== "descriptor") return redirects;
    redirects.push(parseRedirect(reader));
  }
}

function readSimple(reader: Reader, conditional: boolean): void {
  const words: WordToken[] = [];
  const assignments: Assignment[] = [];
  const redirects: Redirect[] = [];
  for (;;) {
    const token = reader.tokens[reader.at];
    if (token?.kind === "redirect" || token?.kind === "descriptor") {
      redirects.push(parseRedirect(reader));
      continue;
    }
    if (token?.kind !== "word") break;
    const assignment = words.length === 0 ? readAssignment(token) : undefined;
    if (assignment) assignments.push(assignment);
    else words.push(token);
    reader.at += 1;
  }
  if (peek(reader) === "(") throw unexpected(reader);
  const [head] = words;
  // After a redirect or an assignment bash takes `if` as a name; nobody means that.
  if (head && isReserved(head))
    throw new NotUnderstood("a reserved word stands where a command belongs", head.word.source);
  reader.drafts.push({ words, assignments, redirects, conditional });
}

function readAssignment(token: WordToken): Assignment | undefined {
  const { source, value } = token.word;
  const found = ASSIGNMENT.exec(source);
  const [prefix, name] = found ?? [];
  if (prefix === undefined || name === undefined) return undefined;
  return {
    name,
    source,
    value: { source: source.slice(prefix.length), value: value?.slice(prefix.length), isGlob: false },
  };
}
