import { isContinuation, isMetacharacter, lexWord, type Scan } from "./lex-word.ts";
import { NotUnderstood } from "./not-understood.ts";
import type { Lexed, Span, Token, WordToken } from "./tokens.ts";

const OPERATOR = /;;&|;;|;&|&&|\|\||\|&|[;&|()]/y;
const REDIRECT = /&>>|&>|<<<|<<-|<<|<>|<&-|<&|>&-|>&|>>|>\||<|>/y;
const DESCRIPTOR = /[0-9]+(?=[<>])/y;
const NAMED_DESCRIPTOR = /^\{[A-Za-z_][A-Za-z0-9_]*\}$/;

type Pending = { readonly delimiter: WordToken; readonly stripTabs: boolean };
type LexState = Scan & { readonly tokens: Token[]; readonly heredocs: Span[]; pending: Pending[] };

/**
 * Splits a source into tokens as bash's own reader does, with its own quote state, in one pass from left to right.
 * It knows nothing of the syntax tree: the two are compared afterwards.
 * @throws {NotUnderstood} at the first thing that could hide a command, or that it does not know.
 */
export function lex(source: string): Lexed {
  const state: LexState = { source, at: 0, tokens: [], expansions: [], heredocs: [], pending: [] };
  while (state.at < source.length) lexOne(state);
  const [open] = state.pending;
  if (open) throw new NotUnderstood("a here-document has no body", open.delimiter.word.source);
  return { tokens: state.tokens, expansions: state.expansions, heredocs: state.heredocs };
}

function lexOne(state: LexState): void {
  const { source, at } = state;
  const char = source[at] ?? "";
  if (char === " " || char === "\t") state.at += 1;
  else if (isContinuation(source, at)) lexContinuation(state);
  else if (char === "\n") lexNewline(state);
  else if (char === "#") state.at = lineEnd(source, at);
  else if (!lexRedirect(state) && !lexOperator(state) && !lexDescriptor(state)) lexPlainWord(state);
}

function lexContinuation(state: LexState): void {
  if (state.pending.length > 0) throw new NotUnderstood("a here-document begins on a line that is continued", "<<");
  state.at += 2;
  // `&\<newline>&` is one operator for bash: after a continuation a token may not join the one before it.
  const before = state.tokens.at(-1);
  const touches =
    before !== undefined && before.kind !== "word" && before.kind !== "newline" && before.end === state.at - 2;
  if (touches && !isBlankOrEnd(state.source[state.at]))
    throw new NotUnderstood(
      "an operator goes on after a backslash at the end of a line",
      state.source.slice(before.start, state.at + 1),
    );
}

function isBlankOrEnd(char: string | undefined): boolean {
  return char === undefined || char === " " || char === "\t" || char === "\n";
}

function lexNewline(state: LexState): void {
  state.tokens.push({ kind: "newline", start: state.at, end: state.at + 1 });
  state.at += 1;
  const pending = state.pending;
  state.pending = [];
  for (const heredoc of pending) lexHeredocBody(state, heredoc);
}

function lexRedirect(state: LexState): boolean {
  const text = match(REDIRECT, state);
  if (text === undefined) return false;
  const start = state.at;
  const end = start + text.length;
  if (state.source[end] === "(" && (text === "<" || text === ">" || text.endsWith("<") || text.endsWith(">")))
    throw new NotUnderstood("it runs a command as a file (<(…) or >(…))", state.source.slice(start, start + 20));
  state.tokens.push({ kind: "redirect", start, end, text });
  state.at = end;
  if (text === "<<" || text === "<<-") lexDelimiter(state, text === "<<-");
  return true;
}

function lexOperator(state: LexState): boolean {
  const text = match(OPERATOR, state);
  if (text === undefined) return false;
  const start = state.at;
  if (text === "(" && state.source[start + 1] === "(")
    throw new NotUnderstood("`((` may compute or nest", state.source.slice(start, start + 20));
  state.tokens.push({ kind: "operator", start, end: start + text.length, text });
  state.at += text.length;
  return true;
}

function lexDescriptor(state: LexState): boolean {
  const text = match(DESCRIPTOR, state);
  if (text === undefined) return false;
  state.tokens.push({ kind: "descriptor", start: state.at, end: state.at + text.length, text });
  state.at += text.length;
  return true;
}

function lexPlainWord(state: LexState): void {
  const token = lexWord(state);
  const next = state.source[state.at];
  if ((next === "<" || next === ">") && NAMED_DESCRIPTOR.test(token.word.source))
    throw new NotUnderstood("a redirect stores its descriptor in a variable", token.word.source);
  if (state.pending.length > 0 && token.word.source.includes("\n"))
    throw new NotUnderstood("a quoted line break stands between a here-document and its body", token.word.source);
  state.tokens.push(token);
}

function lexDelimiter(state: LexState, stripTabs: boolean): void {
  while (state.source[state.at] === " " || state.source[state.at] === "\t") state.at += 1;
  const first = state.source[state.at] ?? "";
  if (isMetacharacter(first) || first === "#") throw new NotUnderstood("a here-document has no delimiter", "<<");
  const delimiter = lexWord(state);
  const { source, value } = delimiter.word;
  if (!value || !/^[\w.!%+,:@^-]+$/.test(value) || /[$\\]/.test(source))
    throw new NotUnderstood("a here-document has an unusual delimiter", source);
  state.tokens.push(delimiter);
  state.pending.push({ delimiter, stripTabs });
}

function lexHeredocBody(state: LexState, { delimiter, stripTabs }: Pending): void {
  const { source } = state;
  const start = state.at;
  while (state.at < source.length) {
    const end = lineEnd(source, state.at);
    const line = source.slice(state.at, end);
    const closing = stripTabs ? line.replace(/^\t+/, "") : line;
    if (closing === delimiter.word.value) {
      state.heredocs.push({ start, end });
      state.at = end;
      // The newline after the closing line ends no command: that happened before the body.
      if (source[end] === "\n") state.at += 1;
      return;
    }
    if (!delimiter.isQuoted && /[$`\\]/.test(line)) throw new NotUnderstood("a here-document expands its body", line);
    state.at = Math.min(end + 1, source.length);
  }
  throw new NotUnderstood("a here-document is not closed", delimiter.word.source);
}

function lineEnd(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
}

function match(pattern: RegExp, state: LexState): string | undefined {
  pattern.lastIndex = state.at;
  return pattern.exec(state.source)?.[0];
}
