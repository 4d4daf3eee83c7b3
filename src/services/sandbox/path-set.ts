import picomatch from "picomatch";

/** The plain paths and the patterns of a setting. */
export type PathSet = {
  /** Paths without wildcards. */
  readonly plain: readonly string[];
  /** True if a pattern matches an absolute path. */
  matches(path: string): boolean;
};

/** @param entries Absolute; `*`, `?`, `[…]`, `{…}` and `**` make a pattern. */
export function pathSet(entries: readonly string[]): PathSet {
  const patterns = entries.filter((entry) => picomatch.scan(entry).isGlob);
  const matchers = patterns.map((pattern) => picomatch(pattern, { dot: true }));
  return {
    plain: entries.filter((entry) => !patterns.includes(entry)),
    matches: (path) => matchers.some((isMatch) => isMatch(path)),
  };
}
