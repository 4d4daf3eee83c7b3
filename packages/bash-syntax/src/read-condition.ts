import { checkCondition } from "./check-condition.ts";
import { isMetacharacter } from "./lex-expansion.ts";
import { isContinuation, lexWord } from "./lex-word.ts";
import { addDraft, readRedirects } from "./read-simple.ts";
import { type Reader, unclear } from "./reader.ts";
import { advance, look, unexpected } from "./reader-steps.ts";
import type { WordToken } from "./tokens.ts";

const OPERATOR = /&&|\|\||[()<>]/y;
/** Outside a condition, the tilde of `=~` would mean a home folder. */
const MATCHES = /=~(?=[ \t])/y;
/** A regular expression without blanks, quotes and expansions; `$` only at the end of a part. */
const PLAIN_REGEX = /(?:[\w^.*+?()|[\]\\,:@%=~{}/-]|\$(?=[)| \t]))+(?=[ \t])/y;

/**
 * Reads `[[ … ]]`, whose inside has its own grammar: `<`, `(` and `&&` are no redirects, groups or lists there.
 * @throws {NotUnderstood} the condition contains a pattern list, a line break, or an unknown form.
 */
export function readCondition(reader: Reader, conditional: boolean): void {
  const opening = look(reader);
  if (opening?.kind !== "word") throw unexpected(reader);
  advance(reader);
  const tokens: WordToken[] = [opening];
  while (tokens.at(-1)?.word.source !== "]]" || tokens.at(-1)?.isQuoted) tokens.push(readPart(reader, tokens));
  const isKnown = checkCondition(tokens.slice(1, -1));
  const source = reader.source.slice(opening.start, reader.at);
  const { redirects, holders, unknown } = readRedirects(reader);
  addDraft(
    reader,
    {
      tokens,
      assignments: [],
      redirects,
      holders: [...tokens, ...holders],
      unknown: isKnown ? unknown : [source, ...unknown],
    },
    conditional,
  );
}

function readPart(reader: Reader, before: readonly WordToken[]): WordToken {
  const { source } = reader;
  for (;;) {
    if (source[reader.at] === " " || source[reader.at] === "\t") reader.at += 1;
    else if (isContinuation(source, reader.at)) reader.at += 2;
    else break;
  }
  const start = reader.at;
  if (before.at(-1)?.word.source === "=~") {
    const regex = match(PLAIN_REGEX, reader);
    if (regex !== undefined) return plainToken(reader, regex, "word");
  }
  const matches = match(MATCHES, reader);
  if (matches !== undefined) return plainToken(reader, matches, "word");
  const operator = match(OPERATOR, reader);
  if (operator !== undefined) {
    const touches = before.at(-1)?.end === start && operator === "(";
    if (touches || ((operator === "<" || operator === ">") && source[start + 1] === "("))
      throw unclear(reader, "a condition has an unusual form", start, start + 20);
    return plainToken(reader, operator, "operator");
  }
  if (isMetacharacter(source[start] ?? "") || source[start] === "#")
    throw unclear(reader, "a condition has an unusual form", before[0]?.start ?? 0, start + 1);
  const word = lexWord(reader);
  reader.tokens.push(word);
  // Braces are not expanded here.
  return { ...word, words: [word.word] };
}

function plainToken(reader: Reader, text: string, kind: "word" | "operator"): WordToken {
  const start = reader.at;
  reader.at += text.length;
  const word = { source: text, value: text, isGlob: false };
  const token: WordToken = {
    kind: "word",
    start,
    end: reader.at,
    word,
    words: [word],
    maySplit: false,
    isQuoted: false,
    inner: [],
    unknown: [],
  };
  reader.tokens.push(kind === "word" ? token : { kind: "operator", start, end: reader.at, text });
  return token;
}

function match(pattern: RegExp, reader: Reader): string | undefined {
  pattern.lastIndex = reader.at;
  return pattern.exec(reader.source)?.[0];
}
