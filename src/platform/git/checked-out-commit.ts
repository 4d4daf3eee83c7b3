import { join, resolve } from "node:path";
import { readFirstLine, readSmallFile } from "../read-small-file.ts";
import { findGitRepository } from "./find-repository.ts";

const COMMIT = /^[0-9a-f]{40,64}$/;
const MAX_PACKED_BYTES = 4 * 1024 * 1024;

/**
 * The commit that is checked out, read from the repository's own files (gitrepository-layout(5)): no git is started.
 * @returns hexadecimal digits, or undefined outside of a repository, before its first commit, or where refs are kept otherwise.
 */
export function checkedOutCommit(folder: string): string | undefined {
  const gitDir = findGitRepository(folder)?.gitDir;
  if (gitDir === undefined) return undefined;
  const head = readFirstLine(join(gitDir, "HEAD")) ?? "";
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return COMMIT.exec(head)?.[0];
  if (ref.split("/").includes("..")) return undefined;
  const common = resolve(gitDir, readFirstLine(join(gitDir, "commondir")) ?? ".");
  const loose = readFirstLine(join(common, ref)) ?? "";
  return COMMIT.exec(loose)?.[0] ?? packedCommit(join(common, "packed-refs"), ref);
}

function packedCommit(file: string, ref: string): string | undefined {
  for (const line of readSmallFile(file, MAX_PACKED_BYTES)?.split("\n") ?? []) {
    const [commit = "", name] = line.split(" ");
    if (name === ref && COMMIT.test(commit)) return commit;
  }
  return undefined;
}
