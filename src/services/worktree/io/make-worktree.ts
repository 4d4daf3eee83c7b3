import { constants, lstatSync } from "node:fs";
import { copyFile, lstat, mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, UserFacingError } from "../../../contracts/errors.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { removeTree } from "../../../platform/files/remove-tree.ts";
import type { Repository } from "../../../platform/git/repository.ts";
import { entryExists, isInside } from "../../../platform/paths.ts";
import { makePrivateFolder } from "../../../platform/private-file.ts";
import { linkedGitFolder } from "./linked-tree.ts";
import type { WorktreeGit } from "./worktree-git.ts";
import type { WorktreeRecord } from "./worktree-records.ts";

export type Making = {
  /** Git on the repository. */
  readonly git: WorktreeGit;
  readonly repository: Repository;
  readonly sparse: readonly string[] | undefined;
  readonly setUp: ((path: string, signal: AbortSignal) => Promise<void>) | undefined;
  /** True if the folder lies where Quoll makes worktrees. */
  readonly isOurs: boolean;
};

/**
 * Makes the branch and the worktree of a record, copies the files that it needs, and sets it up.
 * @throws {UserFacingError} a step failed; `undoWorktree` removes what is there.
 */
export async function makeWorktree(record: WorktreeRecord, making: Making, signal: AbortSignal): Promise<void> {
  const { path, branch = "", base = "" } = record;
  const { git, repository, sparse, setUp } = making;
  makePrivateFolder(dirname(path));
  const isSparse = sparse !== undefined && sparse.length > 0;
  const how = ["--quiet", ...(isSparse ? ["--no-checkout"] : []), "--no-track", "-b", branch];
  await git.run(["worktree", "add", ...how, path, base], signal);
  if (isSparse) {
    const gitFolder = linkedGitFolder(path, repository.commonFolder);
    if (gitFolder === undefined) throw new Error(`git made no worktree at ${path}.`);
    const inside = git.at(path, gitFolder);
    await inside.run(["sparse-checkout", "set", "--cone", "--", ...sparse], signal);
    await inside.run(["reset", "--quiet", "--hard"], signal);
  }
  await copyIncluded({ top: repository.top, git }, path, signal);
  await setUp?.(path, signal);
}

/** Removes a worktree in which nobody has worked yet, and its branch. */
export async function undoWorktree(
  record: WorktreeRecord,
  { git, isOurs }: Making,
  signal: AbortSignal,
): Promise<void> {
  const { path, branch, base } = record;
  await git.ask(["worktree", "remove", "--force", "--force", path], signal);
  if (isOurs && entryExists(path)) {
    await removeTree(path);
    await git.ask(["worktree", "remove", "--force", "--force", path], signal);
  }
  // A branch that points elsewhere by now stays.
  if (base !== undefined) await git.ask(["update-ref", "-d", `refs/heads/${branch}`, base], signal);
}

/** The file that names, in the syntax of gitignore(5), ignored files that a worktree needs too, such as `.env`. */
const INCLUDE_FILE = ".worktreeinclude";
const MAX_FILES = 2_000;
const MAX_BYTES = 256 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;

/**
 * Copies the ignored files that `.worktreeinclude` names into a new worktree. Only regular files are copied, never over
 * another file, and never through a link out of the worktree.
 * @returns how many were copied.
 * @throws {UserFacingError} they are too many or too large, or one can't be copied.
 */
async function copyIncluded(
  from: { readonly top: string; readonly git: WorktreeGit },
  to: string,
  signal: AbortSignal,
): Promise<number> {
  const rules = join(from.top, INCLUDE_FILE);
  if (kindAt(rules) !== "file") return 0;
  const named = await from.git.run(["ls-files", "-z", "--others", "--ignored", `--exclude-from=${rules}`], signal);
  if (named === "") return 0;
  const ignored = await from.git.ask(["check-ignore", "-z", "--stdin"], signal, named);
  // 1: git ignores none of them.
  if (ignored.exitCode !== 0 && ignored.exitCode !== 1)
    throw new UserFacingError(`git can't tell which files of ${INCLUDE_FILE} are ignored: ${ignored.stderr.trim()}.`);
  const names = ignored.stdout.split("\0").filter((name) => name !== "");
  let bytes = 0;
  let copied = 0;
  const inside = await realpath(to);
  for (const name of names) {
    signal.throwIfAborted();
    const source = await lstat(join(from.top, name));
    if (!source.isFile()) continue;
    bytes += source.size;
    copied += 1;
    if (copied > MAX_FILES || bytes > MAX_BYTES)
      throw new UserFacingError(
        `${INCLUDE_FILE} names more than ${MAX_FILES.toLocaleString("en")} files or ${MAX_BYTES / MEGABYTE} MB: name less, or let the setting worktree.setup make them.`,
      );
    await copyOne(join(from.top, name), join(inside, name), inside);
  }
  return copied;
}

async function copyOne(from: string, to: string, inside: string): Promise<void> {
  const folder = dirname(to);
  if (leadsOut(inside, folder)) return;
  try {
    await mkdir(folder, { recursive: true });
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** True if a part of the way is a link or a file, which the base of the worktree may hold. */
function leadsOut(inside: string, folder: string): boolean {
  for (let at = folder; at !== inside; at = dirname(at)) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if ((stats && !stats.isDirectory()) || !isInside(inside, at)) return true;
  }
  return false;
}
