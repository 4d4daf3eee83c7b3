import { join, relative } from "node:path";
import { type GitView, isInRebuildable } from "../../contracts/rebuildable-folders.ts";
import { isInside } from "../../platform/paths.ts";
import type { RestoreScope, Taking } from "./data-at-risk.ts";
import type { BackupBudget } from "./io/backup-budget.ts";
import { stagedChanges } from "./io/backup-commit.ts";
import { lookAt } from "./io/backup-entry.ts";
import { excludedBy, hasFolderAmong } from "./io/excluded-names.ts";
import { type NamesAtRisk, namesAtRisk, namesIn } from "./io/names-at-risk.ts";
import type { Git } from "./io/run-git.ts";
import { type ChangedFile, type WorkTreeState, workTreeState } from "./io/work-tree-state.ts";

/** The part of a work tree to back up as one commit. */
export type CommitPlan = {
  readonly git: Git;
  readonly files: readonly ChangedFile[];
  readonly deleted: readonly string[];
  /** The files and folders to restore, relative to the top; `.` is the top. */
  readonly names: readonly string[];
  /** Deleted files that a restore deletes again, relative to the top. */
  readonly gone: readonly string[];
  /** True if the command may have removed the work tree's connection to its repository. */
  readonly isWhole: boolean;
};

/** The data of one work tree that the commands put at risk. Names are relative to the top; `""` is the top itself. */
export class WorkTreeQuery {
  /** True if all of its uncommitted work is at risk. */
  isWhole = false;
  /** True if ignored files are at risk too. */
  withIgnored = false;
  /** True if files of the index that HEAD does not hold count as untracked. */
  withUnstaged = false;
  /** The files that commands may overwrite, if all uncommitted work is backed up. */
  readonly scopes: RestoreScope[] = [];
  readonly #names = new Map<string, Taking>();
  /** Patterns of untracked files that every command leaves alone; undefined before the first command. */
  #excludes: readonly string[] | undefined;

  constructor(readonly git: Git) {}

  get names(): ReadonlyMap<string, Taking> {
    return this.#names;
  }

  get excludes(): readonly string[] {
    return this.#excludes ?? [];
  }

  addAll(scope: RestoreScope): void {
    this.#excludes = [];
    this.isWhole = true;
    this.scopes.push(scope);
  }

  addName(name: string, takes: Taking, excludes: readonly string[]): void {
    this.#excludes = this.#excludes?.filter((pattern) => excludes.includes(pattern)) ?? excludes;
    this.#names.set(name, widest(this.#names.get(name), takes));
  }
}

export type WorkTreePlan = {
  /** Undefined if a restore would name nothing. */
  readonly commit: CommitPlan | undefined;
  /** Absolute paths to copy, because a commit of this work tree does not hold them. */
  readonly copies: ReadonlyMap<string, GitView>;
};

type Planning = {
  readonly budget: BackupBudget;
  /** The paths below an absolute path that a restore names; undefined if it names the whole path. */
  restoredBelow(path: string): readonly string[] | undefined;
  readonly signal: AbortSignal;
};

/** Finds the files of one work tree that need a backup. Changes nothing. */
export async function planWorkTree(query: WorkTreeQuery, planning: Planning): Promise<WorkTreePlan> {
  const { git, isWhole } = query;
  const { budget, signal } = planning;
  const asked = [...query.names.keys()];
  const under = isWhole || asked.includes("") ? [] : asked;
  const isExcluded = await excludedBy(git, query.excludes, signal);
  const leaveOut = (name: string) => isInRebuildable(name, "untracked") || isExcluded(name);
  const state = await workTreeState(git, { under, leaveOut, budget, signal });
  const copies = pathsToCopy(query, state, { isExcluded, planning });
  const restorable = new Set(await restorableNames(query, state, planning));
  const { files, gone } = await scopeNames(query, state, signal);
  for (const name of files) restorable.add(name);
  const kept = [...restorable].filter((name) => !hasFolderAmong(name, restorable));
  if (kept.length + gone.length === 0) return { commit: undefined, copies };
  const names = kept.map((name) => name || ".");
  return { commit: { git, files: state.files, deleted: state.deleted, names, gone, isWhole }, copies };
}

/** Ignored files, repositories inside the work tree and submodules: a commit can't hold them. */
function pathsToCopy(
  { git, withIgnored, names }: WorkTreeQuery,
  state: WorkTreeState,
  { isExcluded, planning }: { isExcluded(name: string): boolean; readonly planning: Planning },
): ReadonlyMap<string, GitView> {
  const { top } = git.repository;
  const copies = new Map<string, GitView>();
  const takenBy = (name: string) => [...names].filter(([asking]) => asking === "" || isSameOrUnder(name, asking));
  for (const name of state.ignored) {
    const isTaken = takenBy(name).some(([asking, takes]) => {
      const only = planning.restoredBelow(join(top, asking));
      // The name of an ignored folder ends with a slash.
      const path = join(top, name).replace(/\/$/, "");
      return takes !== "new" && (only?.some((one) => isInside(one, path) || isInside(path, one)) ?? true);
    });
    if ((withIgnored || isTaken) && !isInRebuildable(name, "ignored") && !isExcluded(name))
      copies.set(join(top, name), "ignored");
  }
  for (const name of state.nested) {
    if (takenBy(name).some(([, takes]) => takes !== "ignored") && !isExcluded(name))
      copies.set(join(top, name), "untracked");
  }
  for (const name of state.submodules)
    if (takenBy(name).some(([, takes]) => !CLEANED.has(takes))) copies.set(join(top, name), "untracked");
  return copies;
}

/** The names to restore for the paths that the commands name. */
async function restorableNames(
  { git, names, withUnstaged }: WorkTreeQuery,
  state: WorkTreeState,
  { restoredBelow, signal }: Planning,
): Promise<readonly string[]> {
  const { top } = git.repository;
  const inHead = withUnstaged ? await namesIn(git, ["HEAD"], signal) : undefined;
  const tracked = state.tracked.filter((name) => inHead?.has(name) ?? true);
  const held = [...state.tracked, ...state.files.map(({ path }) => path)];
  return [...names].flatMap(([name, takes]) => {
    const only = restoredBelow(join(top, name))?.map((path) => relative(top, path));
    return restorableBy({ name, takes, only }, tracked, held);
  });
}

/** The names to restore for commands that reach all uncommitted work. */
async function scopeNames(
  { git, isWhole, scopes }: WorkTreeQuery,
  state: WorkTreeState,
  signal: AbortSignal,
): Promise<NamesAtRisk> {
  if (!isWhole) return { files: [], gone: [] };
  const present = new Set(state.tracked);
  const { staged: changes } = await stagedChanges(git, signal);
  const isThere = (path: string) => lookAt(join(git.repository.top, path)) !== undefined;
  const staged = changes.flatMap(({ path }) => (present.has(path) ? [path] : []));
  const unstaged = changes.flatMap(({ path, object }) => (object === undefined && !isThere(path) ? [path] : []));
  const found: NamesAtRisk[] = [];
  for (const scope of scopes) found.push(await namesAtRisk({ git, state, staged, unstaged, signal }, scope));
  const gone = new Set(found.flatMap((names) => names.gone));
  return { files: found.flatMap(({ files }) => files), gone: [...gone] };
}

/** The kinds of data that `git clean` deletes, by its flags. */
const CLEANED: ReadonlySet<Taking | undefined> = new Set(["untracked", "new", "ignored"]);

/** Two commands name the same path: all that either of them may delete. */
function widest(known: Taking | undefined, takes: Taking): Taking {
  if (known === undefined || known === takes) return takes;
  if (CLEANED.has(known) && CLEANED.has(takes)) return "untracked";
  return known === "all" ? known : takes;
}

/** The names to restore for one asked name: of a cleaned folder only the untracked files, else the whole folder. */
function restorableBy(
  { name, takes, only = [name] }: { name: string; takes: Taking | undefined; only: readonly string[] | undefined },
  tracked: readonly string[],
  held: readonly string[],
): readonly string[] {
  const isBelow = (path: string, folder: string) => folder === "" || isSameOrUnder(path, folder);
  // Ignored files are copied.
  if (takes === "ignored") return [];
  if (!CLEANED.has(takes)) return only.filter((one) => held.some((path) => isBelow(path, one)));
  const known = new Set(tracked);
  return held.flatMap((path) => {
    return only.some((one) => isBelow(path, one)) && isBelow(path, name) && !known.has(path) ? [path] : [];
  });
}

function isSameOrUnder(name: string, folder: string): boolean {
  return name === folder || name.startsWith(`${folder}/`);
}
