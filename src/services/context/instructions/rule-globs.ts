import { relative } from "node:path";
import { isInside } from "../../../platform/paths.ts";
import { globMatcher } from "./glob-matcher.ts";

/**
 * The maximum total length of a rule's globs with all alternatives in braces expanded, because matching time is
 * proportional to it.
 */
const MAX_GLOB_CHARS = 3_000;

/** A rule waits for a file that its globs match, relative to a folder. */
export type Trigger = { readonly folder: string; readonly globs: readonly string[] };

/**
 * True if a path matches. A glob without a slash matches names in any folder; a glob that names a folder matches
 * everything below it.
 */
export function triggerMatcher({ folder, globs }: Trigger): (path: string) => boolean {
  const matchers = (withoutBraces(globs) ?? [])
    .map((glob) => glob.replace(/^\.?\/+/, ""))
    .map((glob) => (glob.endsWith("/") ? glob.slice(0, -1) : glob))
    .flatMap((glob) => [glob.includes("/") ? glob : `**/${glob}`, `${glob}/**`])
    .map(globMatcher);
  return (path) => {
    if (!isInside(folder, path)) return false;
    const inside = relative(folder, path);
    return inside !== "" && matchers.some((matches) => matches(inside));
  };
}

/** True if the globs of a rule could take long to match. A repository may not choose freely how long each call takes. */
export function areCostly(globs: readonly string[]): boolean {
  return withoutBraces(globs) === undefined;
}

/** Expands the alternatives in braces; undefined if the globs become too long. */
function withoutBraces(globs: readonly string[]): readonly string[] | undefined {
  const left = [...globs];
  const plain: string[] = [];
  let chars = left.reduce((sum, { length }) => sum + length, 0);
  while (chars <= MAX_GLOB_CHARS) {
    const glob = left.pop();
    if (glob === undefined) return plain;
    const [group, inside = ""] = /\{([^{}]*)\}/.exec(glob) ?? [];
    if (group === undefined) plain.push(glob);
    else {
      const at = glob.indexOf(group);
      const around = (one: string) => `${glob.slice(0, at)}${one}${glob.slice(at + group.length)}`;
      const written = inside.split(",", MAX_GLOB_CHARS).map(around);
      chars += written.reduce((sum, { length }) => sum + length, 0) - glob.length;
      left.push(...written);
    }
  }
  return undefined;
}
