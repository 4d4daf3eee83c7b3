import picomatch from "picomatch";
import { pathGlobs } from "../../platform/globs/path-glob.ts";
import { entryExists } from "../../platform/paths.ts";

/** The plain paths and the patterns of a setting. */
export type PathSet = {
  /** Paths without wildcards. */
  readonly plain: readonly string[];
  /** True if a pattern matches an absolute path. */
  matches(path: string): boolean;
};

/**
 * @param entries Absolute; `*`, `?`, `[…]`, `{…}` and `**` make a pattern. An entry, or a part of one, that is also the
 * name of an existing file counts as both: a setting that closes paths never closes fewer.
 */
export function pathSet(entries: readonly string[]): PathSet {
  const patterns = entries.filter((entry) => picomatch.scan(entry).isGlob);
  const matchers = patterns.map((pattern) => picomatch(pattern, { dot: true }));
  const isSpelled = pathGlobs(
    patterns.map((pattern) => pattern.slice(1)),
    "/",
  );
  return {
    plain: entries.filter((entry) => !patterns.includes(entry) || entryExists(entry)),
    matches: (path) => matchers.some((isMatch) => isMatch(path)) || (isSpelled?.(path.slice(1)) ?? false),
  };
}
