import type { ShellWord } from "./types.ts";

/** A stretch of the source, in UTF-16 code units; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };

export type WordToken = Span & {
  readonly kind: "word";
  readonly word: ShellWord;
  /** True when it may become none or several words: an unquoted variable, `"$@"`, a brace expansion. */
  readonly maySplit: boolean;
  /** True when the first character is an unquoted `*`, `?` or `[`: a file name found there could begin with `-`. */
  readonly startsWithGlob: boolean;
  /** True when any part was quoted or escaped: such a word is never a reserved word. */
  readonly isQuoted: boolean;
};

export type OperatorToken = Span & { readonly kind: "operator"; readonly text: string };
export type RedirectToken = Span & { readonly kind: "redirect"; readonly text: string };
/** The `2` of `2>file`. */
export type DescriptorToken = Span & { readonly kind: "descriptor"; readonly text: string };
export type NewlineToken = Span & { readonly kind: "newline" };

export type Token = WordToken | OperatorToken | RedirectToken | DescriptorToken | NewlineToken;

export type Lexed = {
  readonly tokens: readonly Token[];
  /** Every `$name`, `${name}` and `$'…'` outside single quotes: the tree must know each of them. */
  readonly expansions: readonly Span[];
  /** Bodies of here-documents with their closing line, in order. */
  readonly heredocs: readonly Span[];
};
