import type { Scan } from "./reader.ts";
import type { Level } from "./tokens.ts";

/** The context of an expansion, which determines the quote characters. */
export type Context = "plain" | "double" | "heredoc";

/** A word while it is read. */
export type WordDraft = {
  /** Text after quote removal, as far as it is known. */
  readonly parts: string[];
  known: boolean;
  isGlob: boolean;
  maySplit: boolean;
  isQuoted: boolean;
  /** Offset just after the first unquoted `{`, or -1. */
  braceAt: number;
  /** An unquoted `$` that stands for itself; brace expansion could put a name behind it. */
  hasBareDollar: boolean;
  /** True if an unquoted `~` here would be a home folder. */
  tilde: boolean;
  /** Unclosed unquoted `[` after what could be a variable's name. */
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

/** Notes an expansion that ends here, and that its value isn't known. */
export function remember(scan: Scan, draft: WordDraft, start: number, maySplit: boolean): void {
  draft.known = false;
  draft.maySplit ||= maySplit;
  if (scan.hidden === 0) scan.expansions.push({ start, end: scan.at });
}
