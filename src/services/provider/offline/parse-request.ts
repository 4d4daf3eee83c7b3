import { Cursor, plainWord } from "./cursor.ts";
import { clip, type Misfit, misfit } from "./form.ts";
import { formsOf, isVerb } from "./grammar.ts";
import { commandEnd, isQuote, readToken, skipBlanks, type Token, UnclosedQuoteError } from "./prompt-tokens.ts";
import type { PlannedStep, Step } from "./step.ts";

/** A parsed request: its steps, or the first step that is not understood. */
export type Request =
  | { readonly kind: "plan"; readonly steps: readonly PlannedStep[] }
  | {
      readonly kind: "misfit";
      /** Counts from 1. */
      readonly number: number;
      /** The step as typed, cut to one line. */
      readonly words: string;
      /** The problem; undefined if the step does not begin like any form. */
      readonly problem: string | undefined;
    };

/** Characters of a step that are shown. */
const MAX_SHOWN_CHARS = 120;
/** An upper limit far above real requests. */
const MAX_STEPS = 100;

const LIST_MARK = /[^\S\n]*(?:(\d{1,3})[.)]|[-*•–])[^\S\n]+/y;
const PREFIX =
  /(?:please|kindly|now|next|finally|lastly|also|afterwards|okay|ok|and|then|after that|first(?!\s+(?:\d|lines?\b))|(?:can|could|would|will) you(?: please)?|i want you to|i would like you to|let us|let['’]?s)(?=[\s,:]|$)[,:]?[^\S\n]*/iy;
const QUESTION = /where|which|what|how|who/iy;
const RUN_VERBS: ReadonlySet<string> = new Set(["run", "execute", "exec"]);
const BLOCK_VERBS: ReadonlySet<string> = new Set(["create", "make", "write", "save", "new", "touch", "append", "add"]);
/** Verbs that are also programs: with options, the program is meant. */
const SHELL_NAMES: ReadonlySet<string> = new Set(["ls", "cat", "grep", "find", "touch", "rm", "mv", "cp"]);
const AFTERTHOUGHTS: readonly (readonly string[])[] = [["please"], ["thanks"], ["thank", "you"], ["for", "me"]];

/** The end of one step's own text, before "then" or ";", and its meaning. */
type Taken = { readonly end: number; readonly wordsEnd: number; readonly parsed: Step | Misfit | undefined };

/** Parses the whole request before any step runs. Takes linear time. */
export function parseRequest(text: string): Request {
  const steps: PlannedStep[] = [];
  let at = 0;
  for (;;) {
    const { start, mark } = skipToStep(text, at);
    if (start >= text.length) break;
    const { end, wordsEnd, parsed } = readStep(text, start, mark);
    const words = clip(text.slice(start, wordsEnd), MAX_SHOWN_CHARS);
    const number = steps.length + 1;
    if (!parsed) return { kind: "misfit", number, words, problem: undefined };
    if ("misfit" in parsed) return { kind: "misfit", number, words, problem: parsed.misfit };
    steps.push({ step: parsed, words });
    if (steps.length > MAX_STEPS) {
      return { kind: "misfit", number, words, problem: `a request may have at most ${MAX_STEPS} steps` };
    }
    at = Math.max(end, start + 1);
  }
  if (steps.length === 0) return { kind: "misfit", number: 1, words: "", problem: "the request is empty" };
  return { kind: "plan", steps };
}

/** Skips text before a step: separators, list marks, polite words. */
function skipToStep(text: string, from: number): { start: number; mark: number | undefined } {
  let at = from;
  let mark: number | undefined;
  let isLineStart = from === 0 || text[from - 1] === "\n";
  for (;;) {
    const before = at;
    for (; at < text.length && /[\s;,]/.test(text[at] ?? ""); at += 1) if (text[at] === "\n") isLineStart = true;
    const found = isLineStart ? stickyMatch(LIST_MARK, text, at) : null;
    if (found) {
      at += found[0].length;
      mark = found[1] === undefined ? undefined : Number(found[1]);
    }
    at += stickyMatch(PREFIX, text, at)?.[0].length ?? 0;
    if (at === before) return { start: at, mark };
    isLineStart = false;
  }
}

function readStep(text: string, start: number, mark: number | undefined): Taken {
  const first = readVerb(text, start);
  if (!first) return untilLineEnd(text, start, undefined);
  try {
    if (RUN_VERBS.has(first.verb)) {
      const { end, parsed } = readRun(text, first.end);
      return { end, wordsEnd: end, parsed };
    }
    return readOrdinary(text, start, first, mark);
  } catch (error) {
    if (!(error instanceof UnclosedQuoteError)) throw error;
    return untilLineEnd(text, start, misfit(error.message));
  }
}

type Verb = { readonly verb: string; readonly end: number };

function readVerb(text: string, start: number): Verb | undefined {
  if (isQuote(text[start])) return undefined;
  const first = readToken(text, start, false);
  const verb = plainWord(first?.token);
  return first && verb !== undefined && isVerb(verb) ? { verb, end: first.end } : undefined;
}

function untilLineEnd(text: string, start: number, parsed: Misfit | undefined): Taken {
  const lineEnd = text.indexOf("\n", start);
  const end = lineEnd === -1 ? text.length : lineEnd;
  return { end, wordsEnd: end, parsed };
}

function readOrdinary(text: string, start: number, { verb, end: verbEnd }: Verb, mark: number | undefined): Taken {
  const tokens: Token[] = [];
  let at = verbEnd;
  let wordsEnd = verbEnd;
  let block: string | undefined;
  let mayBeRegexp = true;
  for (;;) {
    const found = BLOCK_VERBS.has(verb) && block === undefined ? readBlock(text, at, tokens, mark) : undefined;
    if (found) {
      block = found.block;
      at = found.end;
      wordsEnd = at;
      break;
    }
    const read = readToken(text, at, mayBeRegexp);
    if (!read) break;
    const { token } = read;
    if (token.kind !== "word" || token.text.startsWith("/")) mayBeRegexp = false;
    if (token.kind === "separator" || isThen(token)) {
      at = read.end;
      break;
    }
    const joined = plainWord(token) === "and" && tokens.length > 0 ? joinsStep(text, read.end) : undefined;
    if (joined !== undefined) {
      at = joined;
      break;
    }
    const isClosed = tokens.length > 0 && tokens.at(-1)?.kind !== "word";
    // Text directly after a closing quote ends the sentence.
    if (!(isClosed && read.start === at && /^[.,!?]+$/.test(token.raw.slice(0, 4)))) tokens.push(token);
    at = read.end;
    wordsEnd = at;
  }
  return { end: at, wordsEnd, parsed: parseStep(verb, withoutAfterthoughts(tokens, isQuestion(text, start)), block) };
}

function isThen(token: Token): boolean {
  return plainWord(token) === "then";
}

/** After "and": the start of the next step, if "then" or another verb follows; undefined if "and" is an ordinary word. */
function joinsStep(text: string, at: number): number | undefined {
  if (isQuote(text[skipBlanks(text, at)])) return undefined;
  const next = readToken(text, at, false);
  if (next?.token.kind !== "word") return undefined;
  if (isThen(next.token)) return next.end;
  const verb = plainWord(next.token);
  return verb !== undefined && isVerb(verb) ? at : undefined;
}

function isQuestion(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 30), start);
  return stickyMatch(QUESTION, text, start) !== null || /\byou(?: please)?[,:]?\s*$/i.test(before);
}

/** Removes "please" and similar words at the end, and the question mark. */
function withoutAfterthoughts(tokens: readonly Token[], isAsked: boolean): readonly Token[] {
  let end = tokens.length;
  for (;;) {
    const found = AFTERTHOUGHTS.find((words) =>
      words.every((word, index) => plainWord(tokens[end - words.length + index]) === word),
    );
    if (!found) break;
    end -= found.length;
  }
  const kept = tokens.slice(0, end);
  const last = kept.at(-1);
  if (!isAsked || last?.kind !== "word" || last.text === "?" || !last.text.endsWith("?")) return kept;
  const text = last.text.slice(0, -1);
  return [...kept.slice(0, -1), { kind: "word", text, raw: text }];
}

function parseStep(verb: string, tokens: readonly Token[], block: string | undefined): Step | Misfit | undefined {
  if (SHELL_NAMES.has(verb) && tokens.some(({ raw }) => /^-\w|^--\w/.test(raw))) {
    const command = clip([verb, ...tokens.map(({ raw }) => raw)].join(" "), MAX_SHOWN_CHARS);
    return misfit(`this looks like a shell command; ask for it with \`run ${command}\``);
  }
  let problem: Misfit | undefined;
  for (const form of formsOf(verb)) {
    const parsed = form(new Cursor(tokens), verb, block);
    if (parsed && !("misfit" in parsed)) return parsed;
    problem ??= parsed;
  }
  return problem;
}

/** Without a colon or an article, `command` is the shell builtin. */
const COMMAND_LEAD = /[^\S\n]*(?:(?:the (?:shell )?command[^\S\n]*:?|(?:shell )?command[^\S\n]*:)[^\S\n]+(?=\S))?/iy;
const UNNAMED_COMMAND = /^(?:the|my|all|our|your|its|these|this|that|some|an?)\s/i;

/** `run COMMAND`: extends to the end of the line or to `then`, with the shell's quoting rules. */
function readRun(text: string, from: number): { readonly end: number; readonly parsed: Step | Misfit } {
  const start = from + (stickyMatch(COMMAND_LEAD, text, from)?.[0].length ?? 0);
  const end = commandEnd(text, start);
  const typed = text.slice(start, end).trim();
  // In "run this, then that", the comma belongs to the sentence.
  const isFollowed = end < text.length && text[end] !== "\n";
  return {
    end,
    parsed: readCommand(isFollowed && typed.endsWith(",") ? typed.slice(0, -1).trim() : typed),
  };
}

function readCommand(bare: string): Step | Misfit {
  if (bare === "") return misfit("the command is missing");
  const wrapped = /^(?:`([^`]*)`|“([^”]*)”|‘([^’]*)’|'([^']*)'|"((?:[^"\\]|\\.)*)")[.!]?$/s.exec(bare);
  if (wrapped) {
    const command = wrapped[5]?.replaceAll('\\"', '"') ?? wrapped.slice(1, 5).find((part) => part !== undefined) ?? "";
    return command.trim() === "" ? misfit("the command is empty") : { form: "run", command: command.trim() };
  }
  if (bare.startsWith("`")) return misfit("more text follows the command in backticks");
  if (UNNAMED_COMMAND.test(bare)) {
    return misfit("this describes a command; the offline engine needs the command itself, as in `run npm test`");
  }
  return { form: "run", command: bare };
}

type Block = { readonly block: string; readonly end: number };

/**
 * The text of a file without quotes: the text after a colon, or the lines after `with`. The text extends to the end
 * of the request; between code fences to the closing fence; in a numbered list to the next number.
 */
function readBlock(text: string, at: number, tokens: readonly Token[], mark: number | undefined): Block | undefined {
  const last = tokens.at(-1);
  if (last?.kind !== "word" && !(last?.kind === "quoted" && text[at] === ":")) return undefined;
  const opensBy =
    text[at] === ":" || last.raw.endsWith(":") ? "colon" : plainWord(last) === "with" ? "line" : undefined;
  if (opensBy === undefined) return undefined;
  const from = text[at] === ":" ? at + 1 : at;
  const blankEnd = skipBlanks(text, from);
  const isOnNextLine = text[blankEnd] === "\n";
  const start = isOnNextLine ? blankEnd + 1 : blankEnd;
  if (start >= text.length || (opensBy === "line" && !isOnNextLine)) return undefined;
  // A quote after the colon is an ordinary literal: steps may follow it.
  if (!isOnNextLine && isQuote(text[start]) && !text.startsWith("```", start)) return undefined;
  return fenced(text, start) ?? openBlock(text, start, mark);
}

const FENCE = /[^\S\n]*(`{3,})[^\n`]*\n/y;

function fenced(text: string, start: number): Block | undefined {
  const found = stickyMatch(FENCE, text, start);
  if (!found) return undefined;
  const from = start + found[0].length;
  const closing = new RegExp(`(?<=^|\\n)[^\\S\\n]*${found[1]}\`*[^\\S\\n]*(?=\\n|$)`, "g");
  closing.lastIndex = from;
  const end = closing.exec(text);
  if (!end) throw new UnclosedQuoteError(found[1] ?? "", start);
  return { block: text.slice(from, end.index), end: end.index + end[0].length };
}

function openBlock(text: string, start: number, mark: number | undefined): Block {
  const next = mark === undefined ? undefined : new RegExp(`\\n[^\\S\\n]*${mark + 1}[.)][^\\S\\n]`, "g");
  if (next) next.lastIndex = start;
  const end = next?.exec(text)?.index ?? text.length;
  const body = text.slice(start, end);
  return { block: body.endsWith("\n") ? body : `${body}\n`, end };
}

/** Matches a pattern with the flag `y` at one position. */
function stickyMatch(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
