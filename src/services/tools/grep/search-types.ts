export const OUTPUT_MODES = ["files_with_matches", "content", "count"] as const;

/** One search, whoever makes it: ripgrep or our own code. */
export type SearchRequest = {
  readonly pattern: string;
  /** The folder searched, or that of the file; absolute, resolved. */
  readonly root: string;
  /** The name of the only file to search. */
  readonly file: string | undefined;
  /** Globs of ripgrep's `--glob`, relative to the root. */
  readonly globs: readonly string[];
  readonly type: string | undefined;
  readonly mode: (typeof OUTPUT_MODES)[number];
  readonly before: number;
  readonly after: number;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** `content`: most matching lines that are wanted of one file; more are not looked for. */
  readonly maxPerFile: number;
  /** Files that must not show; never asked for the only file. */
  readonly isHidden: (path: string) => boolean;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
};

export type HitLine = {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** False for a line beside a match. */
  readonly isMatch: boolean;
  /** Where in the line the first match begins, in UTF-16 units. */
  readonly at: number;
};

export type FileHits = {
  /** Relative to the root. */
  readonly path: string;
  /** Matching lines; matches when a match may span lines. */
  readonly count: number;
  /** In `content` mode: matching lines and those beside them, by number. */
  readonly lines: readonly HitLine[];
};

export type SearchResult = {
  /** By path. */
  readonly files: readonly FileHits[];
  /** Which limit ended the search before its end. */
  readonly cutBy: "time" | "size" | undefined;
  /** True when a file was left before its end because it had all the lines that were wanted: its count is the least. */
  readonly isAtLeast: boolean;
  /** What else the model should know. */
  readonly notes: readonly string[];
  /** True when path, globs, type and ignore rules left no file to search. */
  readonly hadNoFiles: boolean;
};

/**
 * Whether `\r\n` ends a line as `\n` does, so that `two$` finds its line in a file of Windows. A pattern that names the
 * carriage return itself must find it.
 */
export function isCrlfLineEnd(pattern: string): boolean {
  return !/\r|\\r|\\x0d|\\x\{0*d\}/i.test(pattern);
}
