import { relative } from "node:path";
import picomatch from "picomatch";
import type { Skill } from "../../contracts/skill.ts";

/** True if one of the skill's globs names a file. Globs are relative to the project root; one without a slash is a name in any folder. @param path Absolute. */
export function concernsPath({ paths }: Pick<Skill, "paths">, path: string, projectRoot: string): boolean {
  const name = relative(projectRoot, path);
  return paths.some((glob) => {
    const trimmed = glob.replace(/^\.?\//, "");
    const whole = trimmed.endsWith("/") ? `${trimmed}**` : trimmed;
    return picomatch.isMatch(name, whole, { dot: true, matchBase: !whole.includes("/") });
  });
}
