import { join, resolve } from "node:path";
import { readFirstLine } from "../read-small-file.ts";
import { findRef } from "./find-ref.ts";
import { findGitRepository } from "./find-repository.ts";

const COMMIT = /^[0-9a-f]{40,64}$/;

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
