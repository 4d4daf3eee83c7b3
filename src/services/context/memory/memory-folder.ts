import { basename, dirname, join, resolve } from "node:path";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { readFirstLine } from "../../../platform/read-small-file.ts";

/**
 * The folder whose memory a project shares: for a worktree of a git repository the repository's own folder, otherwise
 * the project's root. A `.git` file that points to a repository counts only if that repository knows the worktree: an
 * archive can hold such a file.
 * @param root Absolute, symlinks resolved.
 */
export function memoryRoot(root: string): string {
  const dotGit = join(root, ".git");
  const named = readFirstLine(dotGit)?.match(/^gitdir: (.+)$/)?.[1];
  if (named === undefined) return root;
  const own = realPathOrSelf(resolve(root, named));
  const common = readFirstLine(join(own, "commondir"));
  const known = readFirstLine(join(own, "gitdir"));
  if (common === undefined || known === undefined) return root;
  if (realPathOrSelf(resolve(own, known)) !== realPathOrSelf(dotGit)) return root;
  const shared = realPathOrSelf(resolve(own, common));
  // `<common>/worktrees/<name>` is where git keeps its data about a worktree: gitrepository-layout(5).
  if (dirname(dirname(own)) !== shared) return root;
  return basename(shared) === ".git" ? dirname(shared) : shared;
}
