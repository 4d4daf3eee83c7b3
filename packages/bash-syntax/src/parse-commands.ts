import { readArithmetic } from "./lex-arithmetic.ts";
import { readDollar } from "./lex-expansion.ts";
import { NotUnderstood } from "./not-understood.ts";
import { readCondition } from "./read-condition.ts";
import { addDraft, addWords, readRedirects, readSimple } from "./read-simple.ts";
import { type Line, type Loop, MAX_DEPTH, newReader, type Reader, type Text } from "./reader.ts";
import { advance, expect, isReserved, look, peek, readWord, skipNewlines, unexpected } from "./reader-steps.ts";
import { isProgramVariable, isShellVariable } from "./shell-variables.ts";
import type { Level, WordToken } from "./tokens.ts";
import { newWordDraft } from "./word-draft.ts";

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FUNCTION_NAME = /^[A-Za-z_][\w.:@+-]*$|^:$/;
const COMPOUND = new Set(["(", "{", "[[", "if", "while", "until", "for", "select", "case"]);

/**
 * Reads all simple commands from `at` on, following the grammar of POSIX 2.10 with bash's additions: to the `)` of a
 * substitution, or to the end of the text. The level is added to the levels of the line.
 * @throws {NotUnderstood} the source is outside this grammar, or outside our part of it.
 */
export function readLevel(text: Text, at: number, closing: ")" | "end", line: Line): Level {
  const reader = newReader(text, at, line);
  readList(reader, closing === ")" ? [")"] : [], false, true);
  const end = look(reader);
  if (closing === ")") reader.tokens.pop();
  const [open] = reader.pending;
  if (open) throw new NotUnderstood("a here-document has no body", open.delimiter.word.source);
  const { tokens, expansions, heredocs, drafts, source } = reader;
  const level = { start: at, end: end?.start ?? source.length, source, tokens, expansions, heredocs, drafts };
  line.levels.push(level);
  return level;
}

/** Reads commands up to one of `ends` (not consumed), or to the end of the source when `ends` is empty. */
function readList(reader: Reader, ends: readonly string[], conditional: boolean, mayBeEmpty = false): void {
  enter(reader);
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
    if (separator === "&" || separator === ";" || separator === " newline") advance(reader);
    else if (!atEnd()) throw unexpected(reader);
    skipNewlines(reader);
  }
  leave(reader);
}

function enter({ line, source }: Reader): void {
  line.depth += 1;
  if (line.depth > MAX_DEPTH) throw new NotUnderstood(`commands are nested deeper than ${MAX_DEPTH}`, source);
}

function leave({ line }: Reader): void {
  line.depth -= 1;
}

/**
 * Commands of a pipeline or in the background run in a subshell, or may not run; this includes their function
 * definitions.
 */
function markConditional(reader: Reader, from: number): void {
  for (const draft of reader.drafts.slice(from)) draft.conditional = true;
  for (const definition of reader.line.definitions) if (definition.from >= from) definition.isSure = false;
}

function markPiped(reader: Reader, from: number): void {
  for (const draft of reader.drafts.slice(from)) draft.isPiped = true;
}

function readAndOr(reader: Reader, conditional: boolean): void {
  readPipeline(reader, conditional);
  while (peek(reader) === "&&" || peek(reader) === "||") {
    advance(reader);
    skipNewlines(reader);
    readPipeline(reader, true);
  }
}

function readPipeline(reader: Reader, conditional: boolean): void {
  const first = reader.drafts.length;
  while (peek(reader) === "!") advance(reader);
  readCommand(reader, conditional);
  if (peek(reader) !== "|" && peek(reader) !== "|&") return;
  while (peek(reader) === "|" || peek(reader) === "|&") {
    advance(reader);
    skipNewlines(reader);
    const behind = reader.drafts.length;
    readCommand(reader, true);
    markPiped(reader, behind);
  }
  markConditional(reader, first);
}

function readCommand(reader: Reader, conditional: boolean): void {
  const head = peek(reader);
  if (head === " word" || head === " redirect" || head === " descriptor") {
    const name = readSimple(reader, conditional);
    if (name) readFunction(reader, name, conditional);
  } else if (head === "function") {
    advance(reader);
    readFunction(reader, readWord(reader), conditional);
  } else readCompound(reader, head, conditional);
}

function readCompound(reader: Reader, head: string | undefined, conditional: boolean): void {
  if (head === "[[") {
    readCondition(reader, conditional);
    return;
  }
  const start = look(reader)?.start ?? 0;
  const first = reader.drafts.length;
  if (head === "(" && reader.source[start + 1] === "(") readComputation(reader);
  else readKeyword(reader, head, conditional);
  const redirects = readRedirects(reader);
  if (redirects.redirects.length === 0) return;
  if (redirects.redirects.some(({ direction }) => direction === "read" || direction === "inline"))
    markPiped(reader, first);
  // A redirect that fails prevents the whole compound command.
  if (!redirects.redirects.every(({ target }) => target.value === "/dev/null")) markConditional(reader, first);
  addDraft(reader, { tokens: [], assignments: [], ...redirects }, conditional);
}

function readKeyword(reader: Reader, head: string | undefined, conditional: boolean): void {
  if (head === "coproc") throw new NotUnderstood("it starts a coprocess", head);
  if (head === undefined || !COMPOUND.has(head)) throw unexpected(reader);
  advance(reader);
  if (head === "(") readGroup(reader, ")", true);
  else if (head === "{") readGroup(reader, "}", conditional);
  else if (head === "if") readIf(reader);
  else if (head === "while" || head === "until") readLoop(reader);
  else if (head === "case") readCase(reader);
  else readFor(reader, head === "select");
}

/** `((…))`: an expression of plain numbers has no effect, any other may run code. */
function readComputation(reader: Reader): void {
  const opening = look(reader);
  if (opening === undefined) throw unexpected(reader);
  advance(reader);
  readExpression(reader, opening.start, "");
}

function readExpression(reader: Reader, start: number, separators: string): void {
  reader.tokens.pop();
  reader.at = start + 2;
  const draft = newWordDraft();
  reader.hidden += 1;
  const isLiteral = readArithmetic(reader, draft, "))", (scan, word) => readDollar(scan, word, "double"), separators);
  reader.hidden -= 1;
  const source = reader.source.slice(start, reader.at);
  const word = { source, value: undefined, isGlob: false };
  const token: WordToken = {
    kind: "word",
    start,
    end: reader.at,
    word,
    words: [word],
    maySplit: false,
    isQuoted: true,
    inner: draft.inner,
    unknown: [],
  };
  reader.tokens.push({ kind: "arithmetic", start, end: reader.at });
  addWords(reader, [token], isLiteral ? [] : [source]);
}

/** Reads `name ( ) body`, starting at its `(`, or `function name [( )] body`, starting after the name. */
function readFunction(reader: Reader, name: WordToken, conditional: boolean): void {
  const { source } = name.word;
  if (name.isQuoted || isReserved(name) || !FUNCTION_NAME.test(source))
    throw new NotUnderstood("a function has an unusual name", source);
  const from = reader.drafts.length;
  if (peek(reader) === "(") {
    advance(reader);
    expect(reader, ")");
  }
  skipNewlines(reader);
  const head = peek(reader);
  if (head === undefined || !COMPOUND.has(head)) throw unexpected(reader);
  enter(reader);
  reader.inFunctions += 1;
  readCompound(reader, head, true);
  reader.inFunctions -= 1;
  leave(reader);
  const isSure = !conditional && reader.inFunctions === 0 && reader.line.nesting === 0;
  reader.line.definitions.push({ name: source, from, order: reader.line.order, isSure });
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
    advance(reader);
    enter(reader);
    readIf(reader);
    leave(reader);
    return;
  }
  if (peek(reader) === "else") {
    advance(reader);
    readList(reader, ["fi"], true);
  }
  expect(reader, "fi");
}

function readLoop(reader: Reader): void {
  reader.inLoops += 1;
  readList(reader, ["do"], true);
  reader.inLoops -= 1;
  readBody(reader);
}

function readBody(reader: Reader): void {
  expect(reader, "do");
  reader.inLoops += 1;
  readList(reader, ["done"], true);
  reader.inLoops -= 1;
  expect(reader, "done");
}

/** `for` and `select`. */
function readFor(reader: Reader, isSelect: boolean): void {
  const first = look(reader);
  let names: Pick<Loop, "name" | "words"> | undefined;
  if (first?.kind === "operator" && first.text === "(" && reader.source[first.start + 1] === "(") {
    advance(reader);
    readExpression(reader, first.start, ";");
  } else names = readNames(reader);
  if (peek(reader) === ";") advance(reader);
  skipNewlines(reader);
  const from = reader.line.order;
  readBody(reader);
  // `select` leaves the variable empty if the answer is not one of its words.
  if (names && !isSelect) reader.line.loops.push({ ...names, from, to: reader.line.order });
}

function readNames(reader: Reader): Pick<Loop, "name" | "words"> {
  const name = readWord(reader);
  const { source } = name.word;
  if (name.isQuoted || !VARIABLE_NAME.test(source))
    throw new NotUnderstood("a loop variable has an unusual name", source);
  skipNewlines(reader);
  const words: WordToken[] = [];
  if (peek(reader) === "in") {
    advance(reader);
    for (let token = look(reader); token?.kind === "word"; token = look(reader)) {
      words.push(token);
      advance(reader);
    }
    if (peek(reader) !== ";" && peek(reader) !== " newline") throw unexpected(reader);
  }
  addWords(reader, words, isShellVariable(source) || isProgramVariable(source) ? [source] : []);
  return { name: source, words: words.flatMap((word) => (word.maySplit ? [word.word] : word.words)) };
}

function readCase(reader: Reader): void {
  addWords(reader, [readWord(reader)]);
  skipNewlines(reader);
  expect(reader, "in");
  skipNewlines(reader);
  while (peek(reader) !== "esac") {
    if (peek(reader) === "(") advance(reader);
    readPattern(reader);
    while (peek(reader) === "|") {
      advance(reader);
      readPattern(reader);
    }
    expect(reader, ")");
    readList(reader, [";;", ";&", ";;&", "esac"], true, true);
    if (peek(reader) === "esac") break;
    advance(reader);
    skipNewlines(reader);
  }
  expect(reader, "esac");
}

function readPattern(reader: Reader): void {
  const word = readWord(reader);
  if (isReserved(word)) throw new NotUnderstood("a reserved word stands where a pattern belongs", word.word.source);
  addWords(reader, [word]);
}
