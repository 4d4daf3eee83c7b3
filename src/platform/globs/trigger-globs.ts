import { relative } from "node:path";
import { isInside } from "../paths.ts";
import { pathGlobs } from "./path-glob.ts";

/** A rule or a skill waits for a file that its globs match, relative to a folder. */
export type Trigger = { readonly folder: string; readonly globs: readonly string[] };

/**
 * True if a path matches. A glob without a slash matches names in any folder; a glob that names a folder matches
 * everything below it. Costly globs match nothing.
 */
export function triggerMatcher({ folder, globs }: Trigger): (path: string) => boolean {
  const matchers = formsOf(globs).flatMap((forms) => pathGlobs(forms, folder) ?? []);
  return (path) => {
    if (!isInside(folder, path)) return false;
    const inside = relative(folder, path);
    return inside !== "" && matchers.some((matches) => matches(inside));
  };
}

/** True if the globs of a file could take long to match. A repository may not choose freely how long each call takes. */
export function areCostly(globs: readonly string[]): boolean {
  return formsOf(globs).some((forms) => pathGlobs(forms, "/") === undefined);
}

/** The globs for the file itself, and for what is in a folder. */
function formsOf(globs: readonly string[]): readonly (readonly string[])[] {
  const trimmed = globs.map((glob) => glob.replace(/^\.?\/+/, "").replace(/\/$/, ""));
  return [trimmed.map((glob) => (glob.includes("/") ? glob : `**/${glob}`)), trimmed.map((glob) => `${glob}/**`)];
}
