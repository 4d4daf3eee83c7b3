import { basename, dirname, join, relative } from "node:path";
import { type GitView, isInRebuildable } from "../../contracts/rebuildable-folders.ts";
import type { GitNames } from "../../contracts/subject.ts";
import type { Environment } from "../../platform/env.ts";
import { findGit } from "../../platform/git/find-git.ts";
import { findRepository, isTop, type Repository, repositoryAt } from "../../platform/git/repository.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import type { DataAtRisk, RestoreScope, Taking } from "./data-at-risk.ts";
import { BackupBudget, type BackupLimits } from "./io/backup-budget.ts";
import { type BackupEntry, lookAt, walkKept } from "./io/backup-entry.ts";
import { listReferences, type References as RepositoryReferences } from "./io/backup-references.ts";
import { CannotBackUpError } from "./io/cannot-back-up.ts";
import { GITLINK_MODE, indexEntries } from "./io/index-entries.ts";
import { type Git, gitOn } from "./io/run-git.ts";
import { type CommitPlan, planWorkTree, WorkTreeQuery } from "./plan-work-tree.ts";

/** A file or folder to copy, with the entries to back up. */
export type CopyPlan = {
  readonly root: string;
  /** The root first. */
  readonly entries: readonly BackupEntry[];
  /** The paths to restore: the root, or paths below it. */
  readonly restores: readonly string[];
};

export type ReferencesPlan = {
  readonly git: Git;
  readonly found: RepositoryReferences;
  /** The references that the commands name. */
  readonly asked: readonly GitNames[];
};

/** Everything that a backup would contain in the current state. */
export type BackupPlan = {
  readonly commits: readonly CommitPlan[];
  readonly copies: readonly CopyPlan[];
  readonly references: readonly ReferencesPlan[];
  readonly rights: readonly BackupEntry[];
};

export type BackupScope = {
  readonly environment: Environment;
  /** Absolute, links resolved. */
  readonly projectRoot: string;
  /** The backup folder: a command that deletes it also deletes the backup. */
  readonly backups: string;
  readonly limits: BackupLimits;
  /** Folders for temporary files, absolute: files in them are not backed up, except in the project or a repository. */
  readonly temporary: readonly string[];
};

/**
 * Finds the data that would be lost and needs a backup. Changes nothing.
 * @throws {CannotBackUpError} some of it can't be backed up; the abort reason when `signal` aborts.
 */
export async function planBackup(
  atRisk: readonly DataAtRisk[],
  place: BackupScope,
  signal: AbortSignal,
): Promise<BackupPlan> {
  const planner = new BackupPlanner(place, signal);
  for (const item of atRisk) await planner.sort(item);
  return planner.finish();
}

type References = Extract<DataAtRisk, { kind: "references" }>;
type Submodules = Extract<DataAtRisk, { kind: "submodules" }>;

class BackupPlanner {
  readonly #place: BackupScope;
  readonly #signal: AbortSignal;
  readonly #budget: BackupBudget;
  readonly #program: string | undefined;
  readonly #trees = new Map<string, WorkTreeQuery>();
  /** Paths to copy as a whole. */
  readonly #roots = new Map<string, GitView>();
  readonly #references = new Map<string, { readonly git: Git; withLog: boolean; readonly asked: GitNames[] }>();
  readonly #rights = new Set<string>();
  /** The paths below a named path that a restore names. */
  readonly #only = new Map<string, readonly string[] | "whole">();

  constructor(place: BackupScope, signal: AbortSignal) {
    this.#place = place;
    this.#signal = signal;
    this.#budget = new BackupBudget(place.limits);
    this.#program = findGit(place.environment, [place.projectRoot]);
  }

  async sort(item: DataAtRisk): Promise<void> {
    switch (item.kind) {
      case "files":
        if (this.#sortMatches(item)) break;
        this.#limit(item);
        for (const path of await this.#withLinked(item)) this.#sortFiles(path, item.takes, item.excludes);
        this.#noteUnstaged(item);
        break;
      case "work-tree":
        await this.#sortWorkTree(item);
        break;
      case "references":
        this.#backUpReferences(this.#repositoryOf(item.folder), item);
        break;
      case "submodules":
        await this.#sortSubmodules(this.#repositoryOf(item.folder), item);
        break;
      case "rights":
        for (const path of await this.#withLinked(item)) {
          this.#rights.add(path);
          // A path through a link affects the link's target.
          this.#rights.add(realPathOrSelf(path));
        }
    }
  }

  /**
   * A pattern at the top of a repository reaches git's own folder only by its name.
   * @returns true if the item is settled.
   */
  #sortMatches({ path, takes, only }: Extract<DataAtRisk, { kind: "files" }>): boolean {
    if (only === undefined || takes !== "all" || lookAt(path)?.isDirectory() !== true || !isTop(path)) return false;
    this.#limit({ kind: "files", path, takes, only, followsLinks: false });
    this.#ask(repositoryAt(path), path, { takes: "content", excludes: [] });
    for (const one of only) if (isGitData(one)) this.#sortFiles(one, "all");
    return true;
  }

  #noteUnstaged({ path, withUnstaged }: Extract<DataAtRisk, { kind: "files" }>): void {
    const repository = withUnstaged ? this.#workTreeOf(lookAt(path)?.isDirectory() ? path : dirname(path)) : undefined;
    const asked = repository && this.#trees.get(repository.top);
    if (asked) asked.withUnstaged = true;
  }

  /** Of a path that several commands name, a restore names all that one of them reaches. */
  #limit({ path, only }: Extract<DataAtRisk, { kind: "files" }>): void {
    const known = this.#only.get(path);
    this.#only.set(path, only && known !== "whole" ? [...(known ?? []), ...only] : "whole");
  }

  #restoredBelow(path: string): readonly string[] | undefined {
    const only = this.#only.get(path);
    return only === undefined || only === "whole" ? undefined : only;
  }

  #backUpReferences(repository: Repository, { withLog, git: names }: Pick<References, "withLog" | "git">): void {
    const git = this.#gitOf(repository);
    const known = this.#references.get(repository.commonFolder) ?? { git, withLog: false, asked: [] };
    this.#references.set(repository.commonFolder, {
      git: known.git,
      withLog: withLog || known.withLog,
      asked: [...known.asked, ...(names ? [names] : [])],
    });
  }

  async #sortSubmodules(repository: Repository, { under, takes }: Pick<Submodules, "under" | "takes">): Promise<void> {
    if (repository.isBare) return;
    for (const entry of await indexEntries(this.#gitOf(repository), [], this.#signal)) {
      const path = join(repository.top, entry.path);
      const inner = entry.mode === GITLINK_MODE ? repositoryAt(path) : undefined;
      if (!inner || inner.isBare) continue;
      if (under.length === 0 || under.some((asked) => isInside(asked, path))) {
        if (takes === "all") this.#sortFiles(path, "all");
        else if (takes === "rights") this.#rights.add(path);
        else if (takes === "references") this.#backUpReferences(inner, { withLog: true });
        else this.#askForAll(inner, { kind: "changes" });
      }
      await this.#sortSubmodules(inner, { under, takes });
    }
  }

  /** Adds to a path, if the command follows links, the targets of all links below it. */
  async #withLinked({
    path,
    followsLinks,
  }: Extract<DataAtRisk, { followsLinks: boolean }>): Promise<readonly string[]> {
    if (!followsLinks) return [path];
    const budget = new BackupBudget(this.#place.limits);
    const found = new Set([path]);
    const leaveOut = (folder: string) => isInRebuildable(this.#nameInProject(folder), "outside");
    // Entries added during the iteration are visited too.
    for (const root of found) {
      for await (const { kind, path: link } of walkKept(root, { leaveOut, onlyRights: true, signal: this.#signal })) {
        budget.add(0);
        const target = kind === "link" ? realPathOrSelf(link) : link;
        const isKnown = [...found].some((other) => isInside(other, target));
        if (kind === "link" && !isKnown && lookAt(target)?.isSymbolicLink() === false) found.add(target);
      }
    }
    return [...found];
  }

  async finish(): Promise<BackupPlan> {
    const commits: CommitPlan[] = [];
    const restoredBelow = (path: string) => this.#restoredBelow(path);
    for (const query of this.#trees.values()) {
      const plan = await planWorkTree(query, { budget: this.#budget, restoredBelow, signal: this.#signal });
      if (plan.commit) commits.push(plan.commit);
      for (const [root, view] of plan.copies) this.#roots.set(root, view);
    }
    const copies: CopyPlan[] = [];
    for (const [root, view] of this.#roots) {
      const copy = await this.#lookAtRoot(root, view);
      if (copy) copies.push(copy);
    }
    const references = [];
    for (const { git, withLog, asked } of this.#references.values()) {
      references.push({ git, asked, found: await listReferences(git, { withLog, signal: this.#signal }) });
    }
    return {
      commits,
      copies,
      references: references.filter(({ found }) => found.references.length > 0),
      rights: await this.#lookAtRights(),
    };
  }

  #sortFiles(path: string, takes: Taking, excludes: readonly string[] = []): void {
    const stats = lookAt(path);
    if (!stats) return;
    if (isInside(path, this.#place.backups) && takes === "all") {
      throw new CannotBackUpError(`${path} contains the backups themselves`);
    }
    if (this.#isTemporary(path)) return;
    // A write through a link changes its target.
    if (stats.isSymbolicLink() && (takes === "content" || takes === "file")) this.#sortTarget(path, takes);
    const isFolder = stats.isDirectory();
    if (isFolder && takes === "file") return;
    if (isFolder && isTop(path) && takes !== "all") {
      this.#ask(repositoryAt(path), path, { takes, excludes });
      return;
    }
    const repository = isFolder && isTop(path) ? undefined : this.#workTreeOf(dirname(path));
    const takesGit = repository !== undefined && (isInside(path, repository.commonFolder) || isGitData(path));
    if (repository && !takesGit) this.#ask(repository, path, { takes, excludes });
    else this.#copyRoot(path, takesGit || (isFolder && isTop(path)) ? "untracked" : "outside");
  }

  #isTemporary(path: string): boolean {
    const { temporary, projectRoot } = this.#place;
    if (!temporary.some((folder) => folder !== path && isInside(folder, path))) return false;
    const isProjects = isInside(projectRoot, path) || isInside(path, projectRoot);
    const isRepository = lookAt(path)?.isDirectory() === true && isTop(path);
    return !isProjects && !isRepository && findRepository(dirname(path)) === undefined;
  }

  #sortTarget(link: string, takes: Taking): void {
    const target = realPathOrSelf(link);
    if (target !== link && !lookAt(target)?.isSymbolicLink()) this.#sortFiles(target, takes);
  }

  async #sortWorkTree({ path, isSure, withIgnored, scope }: Extract<DataAtRisk, { kind: "work-tree" }>): Promise<void> {
    const stats = lookAt(path);
    const folder = stats?.isDirectory() ? path : dirname(path);
    if (!isSure && !findRepository(folder)) return;
    const repository = this.#repositoryOf(folder);
    // A work tree named by its top from outside may be deleted as a whole (`git worktree remove`).
    const isOther = [...this.#trees.values()].some(
      ({ isWhole, git }) => isWhole && git.repository.top !== repository.top,
    );
    if (stats?.isDirectory() && isTop(path) && isOther) this.#copyRoot(path, "untracked");
    else {
      const asked = this.#askForAll(repository, scope);
      asked.withIgnored ||= withIgnored;
      if (await this.#recurses(asked.git)) await this.#sortSubmodules(repository, { under: [], takes: "work-tree" });
    }
  }

  /** True if settings make git apply commands to submodules too. */
  async #recurses(git: Git): Promise<boolean> {
    const args = ["config", "--type=bool", "--get", "submodule.recurse"];
    return (await git.ask({ args, signal: this.#signal }))?.toString("utf8").trim() === "true";
  }

  #ask(
    repository: Repository | undefined,
    path: string,
    { takes, excludes }: { readonly takes: Taking; readonly excludes: readonly string[] },
  ): void {
    if (!repository || repository.isBare || this.#program === undefined) {
      this.#copyRoot(path, "outside");
      return;
    }
    this.#queryFor(repository).addName(relative(repository.top, path), takes, excludes);
  }

  #askForAll(repository: Repository, scope: RestoreScope): WorkTreeQuery {
    const query = this.#queryFor(repository);
    query.addAll(scope);
    return query;
  }

  #queryFor(repository: Repository): WorkTreeQuery {
    const known = this.#trees.get(repository.top);
    if (known) return known;
    const query = new WorkTreeQuery(this.#gitOf(repository));
    this.#trees.set(repository.top, query);
    return query;
  }

  /** The repository around a folder; undefined if there is no git program. */
  #workTreeOf(folder: string): Repository | undefined {
    const repository = this.#program === undefined ? undefined : findRepository(folder);
    return repository?.isBare ? undefined : repository;
  }

  #repositoryOf(folder: string): Repository {
    const repository = findRepository(folder);
    if (!repository) throw new CannotBackUpError(`there is no git repository in ${folder}`);
    return repository;
  }

  #gitOf(repository: Repository): Git {
    if (this.#program === undefined) throw new CannotBackUpError("no git program was found outside the project");
    return gitOn(repository, this.#program, this.#place.environment);
  }

  #copyRoot(path: string, view: GitView): void {
    if (view === "untracked" || !isInRebuildable(this.#nameInProject(path), view)) this.#roots.set(path, view);
  }

  #nameInProject(path: string): string {
    const { projectRoot } = this.#place;
    return isInside(projectRoot, path) ? relative(projectRoot, path) : basename(path);
  }

  async #lookAtRoot(root: string, view: GitView): Promise<CopyPlan | undefined> {
    const entries: BackupEntry[] = [];
    const leaveOut = (path: string) => isInRebuildable(relative(root, path), view);
    for await (const entry of walkKept(root, { leaveOut, signal: this.#signal })) {
      this.#budget.add(entry.size);
      entries.push(entry);
    }
    if (!entries.some(({ kind }) => kind !== "folder")) return undefined;
    const kept = new Set(entries.map(({ path }) => path));
    const restores = this.#restoredBelow(root)?.filter((path) => kept.has(path)) ?? [root];
    return restores.length > 0 ? { root, entries, restores } : undefined;
  }

  async #lookAtRights(): Promise<readonly BackupEntry[]> {
    // References are tiny, so only their number is limited.
    const budget = new BackupBudget(this.#place.limits);
    const rights = new Map<string, BackupEntry>();
    const leaveOut = (path: string) => isInRebuildable(this.#nameInProject(path), "outside");
    for (const root of this.#rights) {
      if (leaveOut(root)) continue;
      for await (const entry of walkKept(root, { leaveOut, onlyRights: true, signal: this.#signal })) {
        if (entry.kind === "link" || rights.has(entry.path)) continue;
        budget.add(0);
        rights.set(entry.path, entry);
      }
    }
    return [...rights.values()];
  }
}

/** True if a path is git's own folder or is inside one. */
function isGitData(path: string): boolean {
  return path.split("/").includes(".git");
}
