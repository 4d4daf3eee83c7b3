import { dirname, join, resolve } from "node:path";
import { kindAt } from "../files/kind-at.ts";
import { readSmallFile } from "../read-small-file.ts";

/** A repository as git finds it from a folder: absolute paths. */
export type FoundRepository = { readonly workTree: string; readonly gitDir: string };

const MAX_POINTER_BYTES = 8 * 1024;

/**
 * Finds the repository of a folder like git: the next `.git` upwards, or the folder that a file of this name points to
 * (gitrepository-layout(5)). Does not find bare repositories.
 * @returns undefined if none exists.
 */
export function findGitRepository(folder: string): FoundRepository | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const dotGit = join(at, ".git");
    const kind = kindAt(dotGit);
    if (kind === "folder") return { workTree: at, gitDir: dotGit };
    if (kind === "file") {
      const target = /^gitdir: ([^\n]+)\n?$/.exec(readSmallFile(dotGit, MAX_POINTER_BYTES) ?? "")?.[1];
      return target === undefined ? undefined : { workTree: at, gitDir: resolve(at, target.trim()) };
    }
    if (dirname(at) === at) return undefined;
  }
}
