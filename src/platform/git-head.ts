import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readFirstLine } from "./read-small-file.ts";

/** What git allows in no name of a branch: whoever wrote such a HEAD wants to be read by something else than git. */
const NEVER_IN_BRANCH = /[\p{Cc}\s~^:?*[\\]/u;

/**
 * The branch checked out in a folder's repository, read from its HEAD file: no git is started, so that nothing of the
 * repository can run.
 * @returns a branch name, the first 8 digits of a detached commit, or undefined outside of a repository.
 */
export function gitBranch(folder: string): string | undefined {
  const gitDir = findGitDir(folder);
  if (gitDir === undefined) return undefined;
  const head = readFirstLine(join(gitDir, "HEAD"));
  if (head === undefined) return undefined;
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  if (branch !== undefined && NEVER_IN_BRANCH.test(branch)) return undefined;
  return branch ?? (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 8) : undefined);
}

function findGitDir(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, ".git");
    const kind = statSync(candidate, { throwIfNoEntry: false });
    if (kind?.isDirectory()) return candidate;
    if (kind?.isFile()) {
      // A worktree or submodule: the file names the real folder.
      const target = /^gitdir: (.+)$/.exec(readFirstLine(candidate) ?? "")?.[1];
      return target === undefined ? undefined : resolve(at, target);
    }
    if (dirname(at) === at) return undefined;
  }
}
