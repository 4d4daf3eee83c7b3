import { relative } from "node:path";
import type { GitNames } from "../../../contracts/subject.ts";
import { isInside } from "../../../platform/paths.ts";
import type { RestoreScope } from "../data-at-risk.ts";
import { headCommit } from "./backup-commit.ts";
import { type Git, recordsOf } from "./run-git.ts";
import type { WorkTreeState } from "./work-tree-state.ts";

type Tree = {
  readonly git: Git;
  readonly state: WorkTreeState;
  /** Existing files whose index entry differs from HEAD. */
  readonly staged: readonly string[];
  /** Files of HEAD that neither the index nor the work tree has. */
  readonly unstaged: readonly string[];
  readonly signal: AbortSignal;
};

/** Names relative to the top of the work tree. */
export type NamesAtRisk = {
  readonly files: readonly string[];
  /** Deleted files that the command may bring back. */
  readonly gone: readonly string[];
};

/**
 * The files of a work tree that a command may overwrite and that only the work tree or the index holds. A revision that
 * the command names may also overwrite untracked files.
 */
export async function namesAtRisk(tree: Tree, scope: RestoreScope): Promise<NamesAtRisk> {
  if (scope.kind === "none") return { files: [], gone: [] };
  const { git, state, staged, signal } = tree;
  const tracked = new Set(state.tracked);
  const files = state.files.map(({ path }) => path);
  if (scope.kind === "all") return { files: [...new Set([...files, ...staged])], gone: [] };
  const { revisions, pathspecs, isWhole } = await settleWords(git, scope.git, signal);
  const isReached = isWhole ? () => true : await reached(tree, pathspecs, scope.folder);
  const changed = files.filter((name) => tracked.has(name));
  const untracked = files.filter((name) => !tracked.has(name) && isReached(name));
  const sources = revisions.length > 0 ? revisions : isWhole ? ["HEAD"] : [];
  const overwritten = untracked.length > 0 ? await namesIn(git, sources, signal) : new Set<string>();
  // Without a revision, git takes files from the index, so the index loses nothing.
  const found = [...changed, ...(sources.length > 0 ? staged : [])].filter(isReached);
  const deleted = [...state.deleted, ...(sources.length > 0 ? tree.unstaged : [])];
  return {
    files: [...new Set([...found, ...untracked.filter((name) => scope.withUntracked || overwritten.has(name))])],
    gone: [...new Set(deleted.filter((name) => isWhole || isReached(name) || pathspecs.includes(name)))],
  };
}

type Settled = Pick<GitNames, "revisions" | "pathspecs"> & { readonly isWhole: boolean };

/** Decides which words are revisions: of words that may be either, git takes the first as one if it is one. */
async function settleWords(git: Git, names: GitNames | undefined, signal: AbortSignal): Promise<Settled> {
  if (!names) return { revisions: [], pathspecs: [], isWhole: true };
  const [first, ...rest] = names.either;
  const isRevision = first !== undefined && (await hasTree(git, first, signal));
  const revisions = [...names.revisions, ...(isRevision ? [first] : [])];
  const pathspecs = [...names.pathspecs, ...(isRevision ? rest : names.either)];
  return { revisions, pathspecs, isWhole: pathspecs.length === 0 };
}

async function hasTree(git: Git, word: string, signal: AbortSignal): Promise<boolean> {
  if (word.startsWith("-")) return false;
  const args = ["rev-parse", "--quiet", "--verify", `${word}^{tree}`];
  return (await git.ask({ args, signal })) !== undefined;
}

/** The files that git's own matching finds for these pathspecs; every file if git can't match them. */
async function reached(
  { git, signal }: Tree,
  pathspecs: readonly string[],
  folder: string | undefined,
): Promise<(name: string) => boolean> {
  const { top } = git.repository;
  const from = folder !== undefined && isInside(top, folder) ? relative(top, folder) : "";
  const args = [
    ...["--no-literal-pathspecs", ...(from === "" ? [] : ["-C", from])],
    ...["ls-files", "-z", "--full-name", "--cached", "--others", "--", ...pathspecs],
  ];
  const listed = await git.ask({ args, signal });
  if (listed === undefined) return () => true;
  const names = new Set(recordsOf(listed));
  return (name) => names.has(name);
}

/** The files of these revisions; none for a HEAD without a commit. */
export async function namesIn(
  git: Git,
  revisions: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const hasHead = revisions.includes("HEAD") ? (await headCommit(git, signal)) !== undefined : true;
  for (const revision of hasHead ? revisions : []) {
    const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", revision];
    for (const name of recordsOf((await git.ask({ args, signal })) ?? Buffer.of())) found.add(name);
  }
  return found;
}
