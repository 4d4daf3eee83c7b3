import { accessSync, constants, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readFirstLine } from "./read-small-file.ts";

/**
 * The real path of a folder that can be listed and entered.
 * @throws {Error} a system error: ENOENT, ENOTDIR, EACCES …
 */
export function realFolder(path: string): string {
  const real = realpathSync(path);
  if (!statSync(real).isDirectory()) throw Object.assign(new Error(`${real} is not a folder`), { code: "ENOTDIR" });
  accessSync(real, constants.R_OK | constants.X_OK);
  return real;
}

/**
 * A path with its links resolved as far as it exists: what is missing is taken literally. Never throws; a path that can't
 * be resolved (a loop, no permission) is given back as it is.
 */
export function realPathOrSelf(path: string): string {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...missing);
    } catch {
      if (dirname(at) === at) return path;
      missing.unshift(basename(at));
    }
  }
}

/** Whether a path is absolute and no part of it is a link, be it one that leads nowhere; what is missing is none. Never throws. */
export function hasNoLinks(path: string): boolean {
  try {
    return realPathOrSelf(path) === path && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true;
  } catch {
    return false;
  }
}

/** Whether something has this name, be it a link that leads nowhere. */
export function entryExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Whether `path` is `folder` or lies inside of it. Both absolute and resolved. */
export function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith("../") && !isAbsolute(inside);
}

/**
 * Where git keeps a repository's data when it isn't in `<folder>/.git`: the folder that a `.git` file names (worktrees,
 * submodules, --separate-git-dir) and the one that it shares with others (gitrepository-layout(5), "commondir").
 */
export function outerGitFolders(folder: string): readonly string[] {
  // A folder, or nothing: then git's data is where it always is.
  const named = readFirstLine(join(folder, ".git"))?.match(/^gitdir: (.+)$/)?.[1];
  if (named === undefined) return [];
  const own = realPathOrSelf(resolve(folder, named));
  const common = readFirstLine(join(own, "commondir"));
  return common === undefined ? [own] : [own, realPathOrSelf(resolve(own, common))];
}

/**
 * Whether the disk that a folder lies on takes `A` and `a` for one name: the folder is looked for by its own name in the other
 * case. False where its name has no letters.
 * @param folder Absolute; it exists.
 */
export function ignoresCase(folder: string): boolean {
  const other = folder.replace(/\p{L}/gu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const found = statSync(other, { throwIfNoEntry: false });
  const own = statSync(folder, { throwIfNoEntry: false });
  return other !== folder && found !== undefined && found.ino === own?.ino && found.dev === own.dev;
}
