import { relative } from "node:path";
import picomatch from "picomatch";
import { isInside } from "../../../platform/paths.ts";

/**
 * The maximum number of stars in a glob: each star multiplies the matching time of a name that does not match, and a
 * repository must not control that time.
 */
const MAX_STARS_IN_PART = 3;
const MAX_FOLDER_STARS = 3;
const MAX_GLOB_CHARS = 500;

/** A rule waits for a file that its globs match, relative to a folder. */
export type Trigger = { readonly folder: string; readonly globs: readonly string[] };

/** True if a path matches. A glob without a slash means names in any folder; one that names a folder means all below it. */
export function triggerMatcher({ folder, globs }: Trigger): (path: string) => boolean {
  const patterns = globs.map((glob) => glob.replace(/^\.?\/+/, "").replace(/\/+$/, ""));
  const below = patterns.map((glob) => `${glob}/**`);
  const options = { dot: true, noextglob: true } as const;
  const isBelow = picomatch(below, options);
  const isMatch = picomatch(patterns, { ...options, basename: true });
  return (path) => {
    if (!isInside(folder, path)) return false;
    const inside = relative(folder, path);
    return inside !== "" && (isMatch(inside) || isBelow(inside));
  };
}

/** The first glob that could take too long to match; undefined if there is none. */
export function costlyGlob(globs: readonly string[]): string | undefined {
  return globs.find(
    (glob) =>
      glob.length > MAX_GLOB_CHARS ||
      (glob.match(/\*\*/g) ?? []).length > MAX_FOLDER_STARS ||
      glob
        .replaceAll("**", "")
        .split("/")
        .some((part) => (part.match(/\*/g) ?? []).length > MAX_STARS_IN_PART),
  );
}
