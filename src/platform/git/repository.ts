import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { orUndefined } from "../../contracts/or-undefined.ts";
import { entryExists, realPathOrSelf } from "../paths.ts";
import { readFirstLine } from "../read-small-file.ts";

/** The folders of a repository, found without starting git; all absolute, links resolved. */
export type Repository = {
  /** The folder of the work tree; for a bare repository, its own folder. */
  readonly top: string;
  /** The folder of this work tree's own HEAD and index. */
  readonly gitFolder: string;
  /** The folder that work trees share, with objects and references; the same folder if there are no others. */
  readonly commonFolder: string;
  readonly isBare: boolean;
};

/** The repository of a folder: the nearest one above, like git finds it (gitrepository-layout(5)). */
export function findRepository(folder: string): Repository | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = repositoryAt(at);
    if (found) return found;
    if (dirname(at) === at) return undefined;
  }
}

/** The repository whose work tree starts at this folder, or the bare repository in it. */
export function repositoryAt(folder: string): Repository | undefined {
  const named = join(folder, ".git");
  const gitFolder = gitFolderAt(named) ?? gitFolderAt(folder);
  if (gitFolder === undefined) return undefined;
  const common = readFirstLine(join(gitFolder, "commondir"));
  const commonFolder = common === undefined ? gitFolder : realPathOrSelf(resolve(gitFolder, common));
  return { top: folder, gitFolder, commonFolder, isBare: gitFolder === folder };
}

/** True if a folder has an entry `.git`, and so is the top of a work tree. */
export function isTop(folder: string): boolean {
  return entryExists(join(folder, ".git"));
}

function gitFolderAt(path: string): string | undefined {
  const kind = stat(path);
  if (kind?.isDirectory()) return isGitFolder(path) ? realPathOrSelf(path) : undefined;
  if (!kind?.isFile()) return undefined;
  const target = /^gitdir: (.+)$/.exec(readFirstLine(path) ?? "")?.[1];
  if (target === undefined) return undefined;
  const folder = realPathOrSelf(resolve(dirname(path), target));
  return isGitFolder(folder) ? folder : undefined;
}

function isGitFolder(path: string): boolean {
  if (!stat(join(path, "HEAD"))?.isFile()) return false;
  return stat(join(path, "commondir")) !== undefined || stat(join(path, "objects"))?.isDirectory() === true;
}

function stat(path: string) {
  return orUndefined(() => statSync(path, { throwIfNoEntry: false }));
}
