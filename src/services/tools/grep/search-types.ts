import type { SearchGlobs } from "./search-globs.ts";

export const OUTPUT_MODES = ["files_with_matches", "content", "count"] as const;

/** One search. */
export type SearchRequest = {
  readonly pattern: string;
  /** True if the pattern is no regular expression. */
  readonly isPlainText?: boolean;
  /** The searched folder, or the folder of the file; absolute and resolved. */
  readonly root: string;
  /** The name of the only file to search. */
  readonly file: string | undefined;
  /** The path by which ripgrep reaches the file, or else the root. */
  readonly reachedBy: string;
  readonly globs: SearchGlobs;
  readonly type: string | undefined;
  readonly mode: (typeof OUTPUT_MODES)[number];
  readonly before: number;
  readonly after: number;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** `content`: most matching lines per file; the search of a file ends there. */
  readonly maxPerFile: number;
  /** Files that must not be shown; not checked for the only file. */
  readonly isHidden: (path: string) => boolean;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
};

export type HitLine = {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** False for a context line. */
  readonly isMatch: boolean;
  /** The start of the first match in the line, in UTF-16 units. */
  readonly at: number;
};

export type FileHits = {
  /** Relative to the root. */
  readonly path: string;
  /** Matching lines; matches if a match may span lines. */
  readonly count: number;
  /** In `content` mode: matching and context lines, by number. */
  readonly lines: readonly HitLine[];
};

export type SearchResult = {
  /** By path. */
  readonly files: readonly FileHits[];
  /** The limit that ended the search early. */
  readonly cutBy: "time" | "size" | undefined;
  /** True if the search of a file ended early because it had enough lines: its count is a minimum. */
  readonly isAtLeast: boolean;
  /** Further notes for the model. */
  readonly notes: readonly string[];
  /** True if path, globs, type and ignore rules excluded all files. */
  readonly hadNoFiles: boolean;
};

/**
 * True if `\r\n` ends a line like `\n`, so that `two$` matches in a Windows file. A pattern that contains the
 * carriage return must find it.
 */
export function isCrlfLineEnd(pattern: string): boolean {
  return !/\r|\\r|\\x0d|\\x\{0*d\}/i.test(pattern);
}

/** Sorts files by path, by code unit, so that the pages of one search match. */
export function byPath<Item extends { readonly path: string }>(items: readonly Item[]): readonly Item[] {
  return [...items].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
