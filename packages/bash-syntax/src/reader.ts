import { NotUnderstood } from "./not-understood.ts";
import type { CommandDraft, Heredoc, Level, Span, Token, WordToken } from "./tokens.ts";
import type { ShellWord } from "./types.ts";

/** The maximum depth of compound commands, including those in substitutions; deeper sources are not understood. */
export const MAX_DEPTH = 64;
/** The maximum depth of substitutions, parameter expansions and quotes. */
export const MAX_NESTING = 32;

/** The maximum number of words that brace expansions may add to one line. */
export const MAX_SPELLED_WORDS = 10_000;

/** The constructs that may hide or end a command; an independent scan must find the same constructs. */
export type Opener = { readonly at: number; readonly kind: "$(" | "${" | "`" | "<(" | ">(" | "<<" | "\n" };

/** The source, the unescaped inside backticks, or the body of a here-document. */
export type Text = {
  readonly source: string;
  readonly mode: "commands" | "heredoc";
  readonly openers: Opener[];
};

/** A function that a level defines. */
export type Definition = {
  readonly name: string;
  /** The number of commands of the level before the function. */
  readonly from: number;
  /** The `order` of the first command after the function. */
  readonly order: number;
  /** True unless the function may be defined in a subshell or not at all. */
  isSure: boolean;
};

/** A `for` loop with literal words. */
export type Loop = {
  readonly name: string;
  readonly words: readonly ShellWord[];
  /** The `order` of the first command of its body, and of the first command after the loop. */
  readonly from: number;
  readonly to: number;
};

/** State that all levels of one line share. */
export type Line = {
  readonly texts: Text[];
  readonly levels: Level[];
  readonly definitions: Definition[];
  readonly loops: Loop[];
  /** Reads the commands of a substitution from `at` to its `)`, or the commands of a whole text. */
  readonly readInside: (text: Text, at: number, closing: ")" | "end", line: Line) => Level;
  nesting: number;
  depth: number;
  order: number;
  /** The number of words that brace expansions have added. */
  spelled: number;
};

/** The lexer's state at one level. */
export type Scan = {
  readonly text: Text;
  readonly source: string;
  readonly line: Line;
  at: number;
  readonly expansions: Span[];
  /** Above zero inside an expansion, whose inner expansions don't belong to the level itself. */
  hidden: number;
};

export type Pending = { readonly delimiter: WordToken; readonly stripTabs: boolean };

export type Reader = Scan & {
  /** The token that was lexed but not yet consumed. */
  ahead: Token | undefined;
  readonly tokens: Token[];
  readonly heredocs: Heredoc[];
  /** Here-documents whose body begins after the next newline. */
  pending: Pending[];
  /** True after the operator `<<` or `<<-`, before its delimiter. */
  expectsDelimiter: "<<" | "<<-" | undefined;
  readonly drafts: CommandDraft[];
  inFunctions: number;
  /** The number of open loops at this level. */
  inLoops: number;
};

export function newLine(readInside: Line["readInside"]): Line {
  return { texts: [], levels: [], definitions: [], loops: [], readInside, nesting: 0, depth: 0, order: 0, spelled: 0 };
}

/** Registers a text, so that it is scanned a second time. */
export function newText(line: Line, source: string, mode: Text["mode"]): Text {
  const text: Text = { source, mode, openers: [] };
  line.texts.push(text);
  return text;
}

export function newReader(text: Text, at: number, line: Line): Reader {
  return {
    text,
    source: text.source,
    line,
    at,
    expansions: [],
    hidden: 0,
    ahead: undefined,
    tokens: [],
    heredocs: [],
    pending: [],
    expectsDelimiter: undefined,
    drafts: [],
    inFunctions: 0,
    inLoops: 0,
  };
}

/** Runs `read` one level deeper. @throws {NotUnderstood} the nesting is too deep. */
export function nested<T>(line: Line, piece: string, read: () => T): T {
  line.nesting += 1;
  if (line.nesting > MAX_NESTING) throw new NotUnderstood(`expansions are nested deeper than ${MAX_NESTING}`, piece);
  const result = read();
  line.nesting -= 1;
  return result;
}

export function unclear(scan: Scan, reason: string, start: number, end: number): NotUnderstood {
  return new NotUnderstood(reason, scan.source.slice(start, end));
}
