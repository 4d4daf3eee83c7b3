import { relative } from "node:path";
import picomatch from "picomatch";
import type { Skill } from "../../contracts/skill.ts";

/** The maximum length of a path within a project. */
const MAX_NAME_CHARS = 1_000;
const MAX_GLOB_CHARS = 256;

/**
 * False for a glob whose matching could take hours: the matcher uses regular expressions, and a project writes the
 * globs.
 */
export function isSimpleGlob(glob: string): boolean {
  if (glob.length > MAX_GLOB_CHARS || glob.includes("(")) return false;
  if ((glob.match(/\{/g)?.length ?? 0) > 4 || (glob.match(/\*\*+/g)?.length ?? 0) > 3) return false;
  const stars = glob.split("/").map((part) => part.match(/(?<!\*)\*(?!\*)/g)?.length ?? 0);
  return Math.max(...stars) <= 3 && stars.reduce((sum, count) => sum + count, 0) <= 6;
}

/** True if one of the skill's globs names a file. Globs are relative to the project root; one without a slash is a name in any folder. @param path Absolute. */
export function concernsPath({ paths }: Pick<Skill, "paths">, path: string, projectRoot: string): boolean {
  const name = relative(projectRoot, path);
  if (name.length > MAX_NAME_CHARS) return false;
  return paths.filter(isSimpleGlob).some((glob) => {
    const trimmed = glob.replace(/^\.?\//, "");
    const whole = trimmed.endsWith("/") ? `${trimmed}**` : trimmed;
    return picomatch.isMatch(name, whole, { dot: true, matchBase: !whole.includes("/") });
  });
}
