import { join } from "node:path";
import { findGitRepository } from "./git/find-repository.ts";
import { readFirstLine } from "./read-small-file.ts";

/** Characters that git forbids in branch names: a HEAD with one of them was not written by git. */
const NEVER_IN_BRANCH = /[\p{Cc}\s~^:?*[\\]/u;

/**
 * The branch checked out in a folder's repository, read from its HEAD file: no git is started, so that nothing of the
 * repository can run.
 * @returns a branch name, the first 8 digits of a detached commit, or undefined outside a repository.
 */
export function gitBranch(folder: string): string | undefined {
  const found = findGitRepository(folder);
  if (found === undefined) return undefined;
  const head = readFirstLine(join(found.gitDir, "HEAD"));
  if (head === undefined) return undefined;
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  if (branch !== undefined && NEVER_IN_BRANCH.test(branch)) return undefined;
  return branch ?? (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 8) : undefined);
}
