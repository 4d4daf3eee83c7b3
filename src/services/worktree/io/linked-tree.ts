import { dirname, join, resolve } from "node:path";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { readFirstLine } from "../../../platform/read-small-file.ts";

/**
 * The git folder of a linked worktree, if both sides agree: the `.git` file in the worktree names the folder, the folder
 * names that file, and it belongs to this repository (gitrepository-layout(5)).
 * @param commonFolder The folder that the repository's work trees share; absolute, links resolved.
 */
export function linkedGitFolder(path: string, commonFolder: string): string | undefined {
  const dotGit = join(path, ".git");
  const named = readFirstLine(dotGit)?.match(/^gitdir: (.+)$/)?.[1];
  if (named === undefined) return undefined;
  const folder = realPathOrSelf(resolve(path, named));
  const back = readFirstLine(join(folder, "gitdir"));
  if (back === undefined || realPathOrSelf(resolve(folder, back)) !== realPathOrSelf(dotGit)) return undefined;
  return dirname(dirname(folder)) === commonFolder ? folder : undefined;
}
