import type { Assignment, Redirect, ShellWord } from "./types.ts";

/** A part of the source, in UTF-16 code units; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };

export type WordToken = Span & {
  readonly kind: "word";
  readonly word: ShellWord;
  /** The results of a static brace expansion: none, one or several words. Otherwise the word itself. */
  readonly words: readonly ShellWord[];
  /** True if it may become zero or several words: an unquoted variable, `"$@"`, a brace expansion that isn't static. */
  readonly maySplit: boolean;
  /** True when any part was quoted or escaped: such a word is never a reserved word. */
  readonly isQuoted: boolean;
  /** The commands of its substitutions, in order. A here-document's body adds its own to the delimiter's. */
  readonly inner: Level[];
  /** Pieces, as written, in which bash may run code: `$((x))`, `${x@P}`. */
  readonly unknown: string[];
  /** Set for a here-document's delimiter: the text before the closing line, known once that line has been read. */
  body?: { text: string | undefined };
};

export type OperatorToken = Span & { readonly kind: "operator"; readonly text: string };
export type RedirectToken = Span & { readonly kind: "redirect"; readonly text: string };
/** The `2` of `2>file`, or the `{fd}` of `{fd}>file`. */
export type DescriptorToken = Span & { readonly kind: "descriptor"; readonly text: string };
export type NewlineToken = Span & { readonly kind: "newline" };
/** `((…))`, also after `for`: an arithmetic expression. */
export type ArithmeticToken = Span & { readonly kind: "arithmetic" };

export type Token = WordToken | OperatorToken | RedirectToken | DescriptorToken | NewlineToken | ArithmeticToken;

/** The body of a here-document with its closing line. */
export type Heredoc = Span & {
  /** Offsets of its `$(` in the whole text; undefined when lines were joined or tabs removed. */
  readonly openings: readonly number[] | undefined;
  readonly openingCount: number;
};

/** The result of lexing a text, or a `$(…)` in it; the syntax tree of the same part must match. */
export type Level = Span & {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** Every `$name`, `${…}`, `$'…'` and substitution outside single quotes, outermost ones only. */
  readonly expansions: readonly Span[];
  readonly heredocs: readonly Heredoc[];
  readonly drafts: readonly CommandDraft[];
};

/** A simple command while the source around it is still being read. */
export type CommandDraft = {
  /** As written. */
  readonly tokens: readonly WordToken[];
  /** After static brace expansion. */
  readonly words: readonly WordToken[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /**
   * All words of the command, including those of redirects, in source order; their substitutions run before the
   * command.
   */
  readonly holders: readonly WordToken[];
  /** Unknown pieces that were found after their command was read, because a here-document's body comes later. */
  readonly unknown: string[];
  conditional: boolean;
  /** True behind a pipe, and in commands whose input is redirected as a whole. */
  isPiped: boolean;
  /** The number of function bodies around the command, at its level. */
  readonly inFunctions: number;
  /** True in a loop. */
  readonly repeats: boolean;
  /** The number of the command in source order over all levels of a line. */
  readonly order: number;
};
