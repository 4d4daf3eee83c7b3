import { join, resolve } from "node:path";
import { readFirstLine, readSmallFile } from "../read-small-file.ts";
import { findGitRepository } from "./find-repository.ts";

const COMMIT = /^[0-9a-f]{40,64}$/;
const MAX_PACKED_BYTES = 4 * 1024 * 1024;

/** Characters that git forbids in branch names: a HEAD with one of them was not written by git. */
const NEVER_IN_BRANCH = /[\p{Cc}\s~^:?*[\\]/u;

/**
 * The commit of a reference, read from the repository's own files (gitrepository-layout(5)) without starting git.
 * @param commonDir The folder that work trees share.
 * @param ref Its full name: `refs/heads/main`.
 * @returns hexadecimal digits; undefined if it is missing or symbolic, or if references are stored in another format.
 */
export function findRef(commonDir: string, ref: string): string | undefined {
  if (ref.split("/").includes("..")) return undefined;
  const loose = readFirstLine(join(commonDir, ref)) ?? "";
  return COMMIT.exec(loose)?.[0] ?? packedCommit(join(commonDir, "packed-refs"), ref);
}

function packedCommit(file: string, ref: string): string | undefined {
  for (const line of readSmallFile(file, MAX_PACKED_BYTES)?.split("\n") ?? []) {
    const [commit = "", name] = line.split(" ");
    if (name === ref && COMMIT.test(commit)) return commit;
  }
  return undefined;
}

/**
 * The checked-out commit, read from the repository's own files (gitrepository-layout(5)) without starting git.
 * @returns hexadecimal digits; undefined outside a repository, before its first commit, or if refs are stored in
 * another format.
 */
export function checkedOutCommit(folder: string): string | undefined {
  const gitDir = findGitRepository(folder)?.gitDir;
  if (gitDir === undefined) return undefined;
  const head = readFirstLine(join(gitDir, "HEAD")) ?? "";
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return COMMIT.exec(head)?.[0];
  return findRef(resolve(gitDir, readFirstLine(join(gitDir, "commondir")) ?? "."), ref);
}

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
