import { nextToken } from "./lex.ts";
import { NotUnderstood } from "./not-understood.ts";
import type { Reader } from "./reader.ts";
import type { Token, WordToken } from "./tokens.ts";

const RESERVED = new Set(
  "! [[ ]] { } case coproc do done elif else esac fi for function if in select then until while".split(" "),
);

export function isReserved(word: WordToken): boolean {
  return !word.isQuoted && RESERVED.has(word.word.source);
}

/** The next token, not consumed. */
export function look(reader: Reader): Token | undefined {
  reader.ahead ??= nextToken(reader);
  return reader.ahead;
}

/** Consumes the token that `look` gave. */
export function advance(reader: Reader): void {
  reader.ahead = undefined;
}

/** The raw text of the next token; words are marked so that `;` and `";"` differ. */
export function peek(reader: Reader): string | undefined {
  const token = look(reader);
  if (token?.kind === "operator") return token.text;
  if (token?.kind === "word" && isReserved(token)) return token.word.source;
  return token === undefined ? undefined : ` ${token.kind}`;
}

export function skipNewlines(reader: Reader): void {
  while (look(reader)?.kind === "newline") advance(reader);
}

export function expect(reader: Reader, text: string): void {
  if (peek(reader) !== text) throw unexpected(reader, text);
  advance(reader);
}

export function readWord(reader: Reader): WordToken {
  const token = look(reader);
  if (token?.kind !== "word") throw unexpected(reader);
  advance(reader);
  return token;
}

export function unexpected(reader: Reader, wanted?: string): NotUnderstood {
  const token = look(reader);
  const want = wanted === undefined ? "" : `, where \`${wanted}\` was expected`;
  if (token === undefined) return new NotUnderstood(`the command ends too early${want}`, reader.source);
  return new NotUnderstood(`unexpected syntax${want}`, reader.source.slice(token.start, token.end));
}
