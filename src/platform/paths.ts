import { accessSync, constants, lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { orUndefined } from "../contracts/or-undefined.ts";
import { readFirstLine } from "./read-small-file.ts";

/**
 * The real path of a folder that can be listed and searched.
 * @throws {Error} a system error: ENOENT, ENOTDIR, EACCES …
 */
export function realFolder(path: string): string {
  const real = realpathSync(path);
  if (!statSync(real).isDirectory()) throw Object.assign(new Error(`${real} is not a folder`), { code: "ENOTDIR" });
  accessSync(real, constants.R_OK | constants.X_OK);
  return real;
}

/**
 * A path with the links of its existing part resolved; the missing part is kept literally. Never throws; returns a path
 * that can't be resolved (a loop, no permission) unchanged.
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

/**
 * True if a path is absolute and contains no link, not even a dangling one; missing parts are not links. Never throws.
 */
export function hasNoLinks(path: string): boolean {
  return (
    orUndefined(
      () => realPathOrSelf(path) === path && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true,
    ) ?? false
  );
}

/** The state of what has this name, links not followed; undefined if nothing has it, or a part of the path is no folder. */
export function statsAt(path: string): Stats | undefined {
  return orUndefined(() => lstatSync(path, { throwIfNoEntry: false }));
}

/** True if an entry with this name exists, including a dangling link. */
export function entryExists(path: string): boolean {
  return statsAt(path) !== undefined;
}

/** True if `path` is `folder` or lies inside it. Both absolute and resolved. */
export function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith("../") && !isAbsolute(inside);
}

/**
 * The data folders of a repository outside `<folder>/.git`: the folder that a `.git` file names (worktrees, submodules,
 * --separate-git-dir) and the shared one (gitrepository-layout(5), "commondir").
 */
export function outerGitFolders(folder: string): readonly string[] {
  // `.git` is a folder or missing, so there is no outer data folder.
  const named = readFirstLine(join(folder, ".git"))?.match(/^gitdir: (.+)$/)?.[1];
  if (named === undefined) return [];
  const own = realPathOrSelf(resolve(folder, named));
  const common = readFirstLine(join(own, "commondir"));
  return common === undefined ? [own] : [own, realPathOrSelf(resolve(own, common))];
}

/**
 * True if git has registered the folder as a linked work tree: its `.git` file and the repository name each other
 * (gitrepository-layout(5), "worktrees"). Such a folder can lie anywhere, also below `.git/` of the repository.
 */
export function isLinkedWorktree(folder: string): boolean {
  const [own, common] = outerGitFolders(folder);
  if (own === undefined || common === undefined || dirname(own) !== join(common, "worktrees")) return false;
  const back = readFirstLine(join(own, "gitdir"));
  return back !== undefined && realPathOrSelf(resolve(own, back)) === join(folder, ".git");
}

/**
 * True if a folder's file system ignores case: looks the folder up by its name in the other case. False when its name
 * has no letters.
 * @param folder Absolute and existing.
 */
export function ignoresCase(folder: string): boolean {
  const named = [join(folder, ".git"), folder].map((path) => [path, join(dirname(path), otherCase(basename(path)))]);
  // The name of the folder may have no letters.
  return [...named, [folder, otherCase(folder)]].some(
    ([path = "", other = ""]) => path !== other && isOne(path, other),
  );
}

function otherCase(text: string): string {
  return text.replace(/\p{L}/gu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

function isOne(path: string, other: string): boolean {
  const [own, found] = [path, other].map((one) => statSync(one, { throwIfNoEntry: false }));
  return own !== undefined && own.ino === found?.ino && own.dev === found.dev;
}
