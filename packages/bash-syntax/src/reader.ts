import { NotUnderstood } from "./not-understood.ts";
import type { CommandDraft, Heredoc, Level, Span, Token, WordToken } from "./tokens.ts";
import type { ShellWord } from "./types.ts";

/** Compound commands inside each other, those in substitutions included; deeper sources are not understood. */
export const MAX_DEPTH = 64;
/** Substitutions, parameter expansions and quotes inside each other. */
export const MAX_NESTING = 32;

/** Words that brace expansions may add to one line. */
export const MAX_SPELLED_WORDS = 10_000;

/** The constructs that may hide or end a command; an independent scan has to find the same ones. */
export type Opener = { readonly at: number; readonly kind: "$(" | "${" | "`" | "<(" | ">(" | "<<" | "\n" };

/** The source, the unescaped inside of backticks, or the body of a here-document. */
export type Text = {
  readonly source: string;
  readonly mode: "commands" | "heredoc";
  readonly openers: Opener[];
};

/** A function that a level defines. */
export type Definition = {
  readonly name: string;
  /** How many commands the level had before. */
  readonly from: number;
  /** `order` of what follows. */
  readonly order: number;
  /** True while nothing says that it may be defined in a subshell, or not at all. */
  isSure: boolean;
};

/** A `for` that names its words. */
export type Loop = {
  readonly name: string;
  readonly words: readonly ShellWord[];
  /** `order` of its body's first command, and of the first one behind it. */
  readonly from: number;
  readonly to: number;
};

/** State that all levels of one line share. */
export type Line = {
  readonly texts: Text[];
  readonly levels: Level[];
  readonly definitions: Definition[];
  readonly loops: Loop[];
  /** Reads a substitution's commands from `at` to its `)`, or those of a whole text. */
  readonly readInside: (text: Text, at: number, closing: ")" | "end", line: Line) => Level;
  nesting: number;
  depth: number;
  order: number;
  /** Words that brace expansions have added. */
  spelled: number;
};

/** The lexer's state at one level. */
export type Scan = {
  readonly text: Text;
  readonly source: string;
  readonly line: Line;
  at: number;
  readonly expansions: Span[];
  /** Above zero inside of an expansion: what is found there is no expansion of the level itself. */
  hidden: number;
};

export type Pending = { readonly delimiter: WordToken; readonly stripTabs: boolean };

export type Reader = Scan & {
  /** Lexed, not yet consumed. */
  ahead: Token | undefined;
  readonly tokens: Token[];
  readonly heredocs: Heredoc[];
  /** Here-documents whose body begins after the next newline. */
  pending: Pending[];
  /** The operator `<<` or `<<-` was read, its delimiter not yet. */
  expectsDelimiter: "<<" | "<<-" | undefined;
  readonly drafts: CommandDraft[];
  inFunctions: number;
  /** How many loops are open at this level. */
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

/** Runs `read` one level deeper. @throws {NotUnderstood} that is too deep. */
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
