import type { Scan } from "./reader.ts";
import type { Level } from "./tokens.ts";

/** The context of an expansion, which determines the quote characters. */
export type Context = "plain" | "double" | "heredoc";

/** A word during reading. */
export type WordDraft = {
  /** Text after quote removal, as far as it is known. */
  readonly parts: string[];
  known: boolean;
  isGlob: boolean;
  maySplit: boolean;
  isQuoted: boolean;
  /** Offset just after the first unquoted `{`, or -1. */
  braceAt: number;
  /** True for an unquoted literal `$`, after which brace expansion could put a name. */
  hasBareDollar: boolean;
  /** True if an unquoted `~` here would be a home folder. */
  tilde: boolean;
  /** The number of unclosed unquoted `[` after a possible name of a variable. */
  brackets: number;
  readonly inner: Level[];
  readonly unknown: string[];
};

export function newWordDraft(): WordDraft {
  return {
    parts: [],
    known: true,
    isGlob: false,
    maySplit: false,
    isQuoted: false,
    braceAt: -1,
    hasBareDollar: false,
    tilde: true,
    brackets: 0,
    inner: [],
    unknown: [],
  };
}

/** Notes an expansion that ends here, and marks the word's value as unknown. */
export function remember(scan: Scan, draft: WordDraft, start: number, maySplit: boolean): void {
  draft.known = false;
  draft.maySplit ||= maySplit;
  if (scan.hidden === 0) scan.expansions.push({ start, end: scan.at });
}
