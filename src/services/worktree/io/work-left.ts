import { plural } from "@quoll/terminal-text/plural";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import { entryExists } from "../../../platform/paths.ts";
import { linkedGitFolder } from "./linked-tree.ts";
import { UNFINISHED, type WorktreeGit } from "./worktree-git.ts";
import type { WorktreeRecord } from "./worktree-records.ts";

/** Work that a removal would lose. `unknown`: it can't be counted, in one phrase; then nothing may be removed. */
export type WorkLeft = {
  /** Files that were changed, added or deleted without a commit; ignored files don't count. */
  readonly files: number;
  /** Commits of the worktree and its branch that neither the base nor the base's branch has. */
  readonly commits: number;
  readonly unknown?: string;
  /** The commit of the branch when it was counted. */
  readonly tip?: string;
};

type GitRepository = {
  /** Git on the repository. */
  readonly git: WorktreeGit;
  readonly commonFolder: string;
};

const NOTHING: WorkLeft = { files: 0, commits: 0 };
const unknown = (why: string): WorkLeft => ({ files: 0, commits: 0, unknown: why });

/** Counts the work in a worktree that exists nowhere else. Never rejects but with the abort reason of `signal`. */
export async function workLeft(
  record: WorktreeRecord,
  { git, commonFolder }: GitRepository,
  signal: AbortSignal,
): Promise<WorkLeft> {
  if (record.madeBy === "quoll" && !entryExists(record.path)) return ofBranch(record, git, signal);
  const gitFolder = linkedGitFolder(record.path, commonFolder);
  if (gitFolder === undefined) return unknown("its folder is no worktree of this repository");
  if (record.base === undefined) return unknown("its base is not known");
  const unfinished = UNFINISHED.find((one) => entryExists(one.in(gitFolder)));
  if (unfinished) return unknown(`an operation of git is unfinished (${unfinished.name})`);
  try {
    return await counted(record, git.at(record.path, gitFolder), signal);
  } catch (error) {
    signal.throwIfAborted();
    return unknown(errorMessage(error).replace(/\.$/, ""));
  }
}

/** The folder was deleted, so only the commits of the branch are left. */
async function ofBranch(record: WorktreeRecord, git: WorktreeGit, signal: AbortSignal): Promise<WorkLeft> {
  try {
    const tip = await commitOf(git, `refs/heads/${record.branch}`, signal);
    return tip === undefined ? NOTHING : { files: 0, commits: await commitsAhead(git, record, [tip], signal), tip };
  } catch (error) {
    signal.throwIfAborted();
    return unknown(errorMessage(error).replace(/\.$/, ""));
  }
}

async function counted(record: WorktreeRecord, git: WorktreeGit, signal: AbortSignal): Promise<WorkLeft> {
  // Otherwise the status leaves out files that are marked with `update-index --assume-unchanged`.
  await git.run(["update-index", "-q", "--really-refresh"], signal);
  const status = await git.run(
    ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none"],
    signal,
  );
  const entries = status.split("\0").filter((entry) => entry !== "");
  // An interrupted removal has deleted files, which the base still has.
  const changes = record.state === "removing" ? entries.filter((entry) => !entry.startsWith(" D ")) : entries;
  const tip = record.branch === undefined ? undefined : await commitOf(git, `refs/heads/${record.branch}`, signal);
  const commits = await commitsAhead(git, record, tip === undefined ? ["HEAD"] : ["HEAD", tip], signal);
  return { files: changes.length, commits, ...(tip !== undefined && { tip }) };
}

/**
 * Counts the commits that neither the base nor the base's branch has.
 * @throws {UserFacingError} git can't count them.
 */
export async function commitsAhead(
  git: WorktreeGit,
  { base, baseRef }: WorktreeRecord,
  tips: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const known = [base, baseRef && (await commitOf(git, baseRef, signal))].filter((one) => one !== undefined);
  const count = Number.parseInt(await git.run(["rev-list", "--count", ...tips, "--not", ...known, "--"], signal), 10);
  if (!Number.isSafeInteger(count)) throw new UserFacingError("The commits can't be counted.");
  return count;
}

/** @returns undefined if there is no such commit. */
export async function commitOf(git: WorktreeGit, name: string, signal: AbortSignal): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { exitCode, stdout } = await git.ask(args, signal);
  return exitCode === 0 ? stdout.trim() : undefined;
}

/** The work that a removal would lose, in one phrase; undefined if there is none. */
export function lossIn({ files, commits, unknown }: WorkLeft): string | undefined {
  if (unknown !== undefined) return unknown;
  const parts = [
    ...(files > 0 ? [plural(files, "changed file")] : []),
    ...(commits > 0 ? [plural(commits, "commit")] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
}
