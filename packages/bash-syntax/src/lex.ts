import { isMetacharacter } from "./lex-expansion.ts";
import { lexHeredocBody, lineEnd } from "./lex-heredoc.ts";
import { isContinuation, lexWord } from "./lex-word.ts";
import { NotUnderstood } from "./not-understood.ts";
import type { Reader } from "./reader.ts";
import type { Token, WordToken } from "./tokens.ts";

const OPERATOR = /;;&|;;|;&|&&|\|\||\|&|[;&|()]/y;
const REDIRECT = /&>>|&>|<<<|<<-|<<|<>|<&-|<&|>&-|>&|>>|>\||<|>/y;
/** bash reads a number above a certain size as an argument. */
const MAX_DESCRIPTOR_DIGITS = 4;
const DESCRIPTOR = /[0-9]+(?=[<>](?!\())/y;
const NAMED_DESCRIPTOR = /^\{[A-Za-z_][A-Za-z0-9_]*\}$/;
const DELIMITER = /^[\w.!%+,:@^-]+$/;

/**
 * Reads the next token as bash's own reader does, with its own quote state, from left to right. The lexer does not
 * use the syntax tree; the two are compared afterwards.
 * @returns undefined at the end of the source.
 * @throws {NotUnderstood} a construct could hide a command, or is unknown.
 */
export function nextToken(reader: Reader): Token | undefined {
  if (reader.expectsDelimiter) return keep(reader, lexDelimiter(reader));
  skipBlanks(reader);
  const { source, at } = reader;
  if (at >= source.length) {
    const [open] = reader.pending;
    if (open) throw new NotUnderstood("a here-document has no body", open.delimiter.word.source);
    return undefined;
  }
  if (source[at] === "\n") return lexNewline(reader);
  return keep(reader, lexRedirect(reader) ?? lexOperator(reader) ?? lexDescriptor(reader) ?? lexPlainWord(reader));
}

/** Consumes blanks, continued lines and comments. */
export function skipBlanks(reader: Reader): void {
  for (;;) {
    const { source, at } = reader;
    const char = source[at];
    if (char === " " || char === "\t") reader.at += 1;
    else if (isContinuation(source, at)) skipContinuation(reader);
    else if (char === "#") reader.at = lineEnd(source, at);
    else return;
  }
}

function keep<T extends Token>(reader: Reader, token: T): T {
  reader.tokens.push(token);
  return token;
}

function skipContinuation(reader: Reader): void {
  if (reader.pending.length > 0) throw new NotUnderstood("a here-document begins on a line that is continued", "<<");
  reader.at += 2;
  // bash reads `&\<newline>&` as one operator. Here, a token after a continued line must not join the previous token.
  const before = reader.tokens.at(-1);
  const touches =
    before !== undefined && before.kind !== "word" && before.kind !== "newline" && before.end === reader.at - 2;
  if (touches && !isBlankOrEnd(reader.source[reader.at]))
    throw new NotUnderstood(
      "an operator goes on after a backslash at the end of a line",
      reader.source.slice(before.start, reader.at + 1),
    );
}

function isBlankOrEnd(char: string | undefined): boolean {
  return char === undefined || char === " " || char === "\t" || char === "\n";
}

function lexNewline(reader: Reader): Token {
  const token: Token = keep(reader, { kind: "newline", start: reader.at, end: reader.at + 1 });
  reader.text.openers.push({ at: reader.at, kind: "\n" });
  reader.at += 1;
  const pending = reader.pending;
  reader.pending = [];
  for (const heredoc of pending) lexHeredocBody(reader, heredoc);
  return token;
}

function lexRedirect(reader: Reader): Token | undefined {
  const text = match(REDIRECT, reader);
  if (text === undefined) return undefined;
  const start = reader.at;
  const end = start + text.length;
  if (reader.source[end] === "(" && /[<>]$/.test(text)) {
    // `<(…)` and `>(…)` are words.
    if (text === "<" || text === ">") return undefined;
    throw new NotUnderstood("a redirect is not complete", reader.source.slice(start, start + 20));
  }
  reader.at = end;
  if (text === "<<" || text === "<<-") {
    reader.text.openers.push({ at: start, kind: "<<" });
    reader.expectsDelimiter = text;
  }
  return { kind: "redirect", start, end, text };
}

function lexOperator(reader: Reader): Token | undefined {
  const text = match(OPERATOR, reader);
  if (text === undefined) return undefined;
  const start = reader.at;
  reader.at += text.length;
  return { kind: "operator", start, end: reader.at, text };
}

function lexDescriptor(reader: Reader): Token | undefined {
  const text = match(DESCRIPTOR, reader);
  if (text === undefined) return undefined;
  if (text.length > MAX_DESCRIPTOR_DIGITS) throw new NotUnderstood("a redirect has an unusual descriptor", text);
  const start = reader.at;
  reader.at += text.length;
  return { kind: "descriptor", start, end: reader.at, text };
}

function lexPlainWord(reader: Reader): Token {
  const token = lexWord(reader);
  const { source } = token.word;
  const next = reader.source[reader.at];
  if (reader.pending.length > 0 && source.includes("\n"))
    throw new NotUnderstood("a quoted line break stands between a here-document and its body", source);
  if ((next === "<" || next === ">") && source.startsWith("{") && source.endsWith("}")) {
    if (NAMED_DESCRIPTOR.test(source)) return { kind: "descriptor", start: token.start, end: token.end, text: source };
    throw new NotUnderstood("a redirect stores its descriptor in an unusual place", source);
  }
  return token;
}

function lexDelimiter(reader: Reader): WordToken {
  const stripTabs = reader.expectsDelimiter === "<<-";
  reader.expectsDelimiter = undefined;
  while (reader.source[reader.at] === " " || reader.source[reader.at] === "\t") reader.at += 1;
  const first = reader.source[reader.at] ?? "";
  if (isMetacharacter(first) || first === "#") throw new NotUnderstood("a here-document has no delimiter", "<<");
  const delimiter = lexWord(reader);
  const { source, value } = delimiter.word;
  if (!value || !DELIMITER.test(value) || source.includes("$") || source.slice(1).includes("\\"))
    throw new NotUnderstood("a here-document has an unusual delimiter", source);
  delimiter.body = { text: undefined };
  reader.pending.push({ delimiter, stripTabs });
  return delimiter;
}

function match(pattern: RegExp, reader: Reader): string | undefined {
  pattern.lastIndex = reader.at;
  return pattern.exec(reader.source)?.[0];
}
