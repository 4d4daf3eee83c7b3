import { join } from "node:path";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { removeTree } from "../../platform/files/remove-tree.ts";
import type { Repository } from "../../platform/git/repository.ts";
import type { HeldLock } from "../../platform/lock-file.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";
import {
  type HeldWorktree,
  type ListedWorktree,
  type Removal,
  type WorktreeRequest,
  worktreeInUse,
} from "./held-worktree.ts";
import { linkedGitFolder } from "./io/linked-tree.ts";
import { makeWorktree, undoWorktree } from "./io/make-worktree.ts";
import { removeRecorded } from "./io/remove-worktree.ts";
import { commitOf, commitsAhead, lossIn, type WorkLeft, workLeft } from "./io/work-left.ts";
import { type GitSettings, WorktreeGit } from "./io/worktree-git.ts";
import { type WorktreeRecord, WorktreeRecords } from "./io/worktree-records.ts";
import { assertWorktreeName, branchOf, randomName } from "./worktree-names.ts";

const MAX_NAME_ATTEMPTS = 20;

/** The parts of a session that take part in the life of a worktree. */
export type WorktreePorts = {
  /**
   * Asks the hooks of WorktreeCreate. `path`: the folder that a hook made.
   * @throws {UserFacingError} a hook refuses.
   */
  created?(name: string, signal: AbortSignal): Promise<{ readonly path?: string }>;
  /** Tells the hooks of WorktreeRemove. */
  removed?(path: string, signal: AbortSignal): Promise<void>;
  /** Prepares a new worktree with the user's set-up command. @throws {UserFacingError} it failed. */
  setUp?(path: string, signal: AbortSignal): Promise<void>;
};

export type WorktreesDeps = WorktreePorts & {
  /** The work tree from which worktrees are made. */
  readonly repository: Repository;
  readonly git: GitSettings;
  /** The work tree whose trust the worktrees have: `repository.top`, or where that worktree itself came from. */
  readonly origin: string;
  /** The folder of the records, and the folder of new worktrees; absolute. */
  readonly records: string;
  readonly folder: string;
  /** The branch or commit for requests without one; the checked-out commit unless given. */
  readonly base?: string;
  /** The folders of a sparse worktree (git-sparse-checkout(1)); a whole one without any. */
  readonly sparse?: readonly string[];
};

/** The worktrees that Quoll made of one repository. */
export class Worktrees {
  readonly #deps: WorktreesDeps;
  readonly #records: WorktreeRecords;
  readonly #git: WorktreeGit;

  constructor(deps: WorktreesDeps) {
    this.#deps = deps;
    this.#records = new WorktreeRecords(deps.records);
    this.#git = new WorktreeGit(deps.git, deps.repository);
  }

  /**
   * Makes a worktree, or takes the one of this name that is there.
   * @throws {UserFacingError} the name is invalid, taken or in use, the base is missing, or a step failed; a new
   * worktree is gone then.
   */
  async open({ name, base, mustExist = false }: WorktreeRequest, signal: AbortSignal): Promise<HeldWorktree> {
    if (name !== undefined) assertWorktreeName(name);
    const { name: chosen, lock } = name === undefined ? await this.#freeName(signal) : await this.#locked(name);
    try {
      const found = await this.#found(chosen, signal);
      if (found && base !== undefined)
        throw new UserFacingError(`The worktree ${chosen} exists already, so it can't get the base ${base}.`);
      if (!found && mustExist) throw new UserFacingError(`The worktree ${chosen} is gone.`);
      const record = found ?? (await this.#make(chosen, base ?? this.#deps.base, signal));
      return this.#held(record, lock, found === undefined);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** All worktrees, with what a removal would lose. */
  async list(signal: AbortSignal): Promise<readonly ListedWorktree[]> {
    const listed: ListedWorktree[] = [];
    for (const name of this.#records.names()) {
      const record = await this.#records.read(name).catch(() => undefined);
      if (!record) continue;
      listed.push({ record, isInUse: this.#records.isInUse(name), left: await this.#left(record, signal) });
    }
    return listed;
  }

  /**
   * Removes a worktree that Quoll made.
   * @param discards True to lose the work in it.
   * @throws {UserFacingError} if there is none of this name, or a session works in it.
   */
  async remove(name: string, discards: boolean, signal: AbortSignal): Promise<Removal> {
    assertWorktreeName(name);
    const { lock } = await this.#locked(name);
    using _lock = lock;
    const record = await this.#read(name);
    if (!record) throw new UserFacingError(`There is no worktree ${name} (quoll worktree list shows them).`);
    return await this.#removed(record, discards, signal);
  }

  /**
   * Worktrees of sessions that ended without a cleanup, each named once; empty ones are removed, except those in
   * `spared`.
   */
  async abandoned(spared: readonly string[], signal: AbortSignal): Promise<readonly ListedWorktree[]> {
    const kept: ListedWorktree[] = [];
    for (const name of this.#records.names().filter((one) => !spared.includes(one))) {
      const record = await this.#records.read(name).catch(() => undefined);
      if (!record || record.isReported || this.#records.isInUse(name)) continue;
      const attempt = await this.#records.lock(name);
      if (!("lock" in attempt)) continue;
      using _lock = attempt.lock;
      const now = await this.#repaired(record, signal);
      if (!now || (await this.#removed(now, false, signal)).isRemoved) continue;
      kept.push({ record: now, left: await this.#left(now, signal), isInUse: false });
    }
    return kept;
  }

  #held(record: WorktreeRecord, lock: HeldLock, isNew: boolean): HeldWorktree {
    // A session that is killed leaves this mark, so that the next start names the worktree.
    this.#records.write({ ...record, isReported: false });
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      lock.release();
    };
    return {
      record,
      isNew,
      release: () => {
        if (isHeld) this.#records.write({ ...record, isReported: true });
        release();
      },
      remove: async (discards, signal) => {
        const removal = await this.#removed(record, discards, signal);
        if (removal.isRemoved) release();
        else this.#records.write({ ...record, isReported: false });
        return removal;
      },
      leave: async (signal) => {
        if (!isHeld) return { isRemoved: false, why: "it was given back before" };
        try {
          return await this.#removed(record, false, signal);
        } finally {
          release();
        }
      },
    };
  }

  async #locked(name: string): Promise<{ readonly name: string; readonly lock: HeldLock }> {
    const attempt = await this.#records.lock(name);
    if ("lock" in attempt) return { name, lock: attempt.lock };
    throw worktreeInUse(name, attempt.holder);
  }

  async #freeName(signal: AbortSignal) {
    for (let attempt = 0; attempt < MAX_NAME_ATTEMPTS; attempt += 1) {
      const name = randomName();
      const locked = await this.#records.lock(name);
      if (!("lock" in locked)) continue;
      const isTaken =
        this.#records.names().includes(name) ||
        (await commitOf(this.#git, `refs/heads/${branchOf(name)}`, signal)) !== undefined;
      if (!isTaken) return { name, lock: locked.lock };
      locked.lock.release();
    }
    throw new UserFacingError("No free name for a worktree was found: give one.");
  }

  async #read(name: string): Promise<WorktreeRecord | undefined> {
    try {
      return await this.#records.read(name);
    } catch (error) {
      throw new UserFacingError(`The worktree ${name} can't be used: ${errorMessage(error)}.`);
    }
  }

  /** The worktree of this name that is there, repaired if Quoll was killed while it was made or removed. */
  async #found(name: string, signal: AbortSignal): Promise<WorktreeRecord | undefined> {
    const record = await this.#read(name);
    if (!record) return undefined;
    const repaired = await this.#repaired(record, signal);
    if (!repaired) return undefined;
    if (repaired.madeBy === "hook" || this.#isLinked(repaired)) return repaired;
    throw new UserFacingError(
      `The worktree ${name} is damaged: ${repaired.path} is no worktree of this repository. Look at it, then remove the folder, or choose another name.`,
    );
  }

  /** @returns undefined if nothing is left of the worktree; its record is gone then. */
  async #repaired(record: WorktreeRecord, signal: AbortSignal): Promise<WorktreeRecord | undefined> {
    if (record.madeBy === "hook") {
      if (entryExists(record.path)) return record;
      this.#records.forget(record.name);
      return undefined;
    }
    if (record.state === "creating") {
      // Nobody has worked in it yet.
      await undoWorktree(record, this.#making(record), signal);
      this.#records.forget(record.name);
      return undefined;
    }
    if (record.state === "ready" && entryExists(record.path)) return record;
    if (record.state === "removing" && this.#isLinked(record)) {
      const removal = await this.#removed(record, false, signal);
      return removal.isRemoved ? undefined : { ...record, state: "ready" };
    }
    // The removal had begun, so nothing of this folder was needed any more.
    if (this.#making(record).isOurs) await removeTree(record.path);
    const restored = await this.#withoutFolder(record, signal);
    if (!restored) this.#records.forget(record.name);
    return restored;
  }

  /**
   * The folder is gone. A branch with commits is checked out again, so that a listed name never refers to lost work.
   */
  async #withoutFolder(record: WorktreeRecord, signal: AbortSignal): Promise<WorktreeRecord | undefined> {
    await this.#git.ask(["worktree", "remove", "--force", "--force", record.path], signal);
    const branch = `refs/heads/${record.branch}`;
    const tip = await commitOf(this.#git, branch, signal);
    if (tip === undefined) return undefined;
    if ((await commitsAhead(this.#git, record, [tip], signal)) === 0) {
      await this.#git.ask(["update-ref", "-d", branch, tip], signal);
      return undefined;
    }
    await this.#git.run(["worktree", "add", "--quiet", record.path, record.branch ?? ""], signal);
    const ready = { ...record, state: "ready" } as const;
    this.#records.write(ready);
    return ready;
  }

  #isLinked(record: WorktreeRecord): boolean {
    return linkedGitFolder(record.path, this.#deps.repository.commonFolder) !== undefined;
  }

  #making(record: Pick<WorktreeRecord, "path">) {
    const { repository, sparse, setUp, folder } = this.#deps;
    const isOurs = isInside(realPathOrSelf(folder), realPathOrSelf(record.path));
    return { git: this.#git, repository, sparse, setUp, isOurs };
  }

  async #make(name: string, base: string | undefined, signal: AbortSignal): Promise<WorktreeRecord> {
    const { folder, origin } = this.#deps;
    const commit = await commitOf(this.#git, base ?? "HEAD", signal);
    if (commit === undefined)
      throw new UserFacingError(
        base === undefined
          ? "This repository has no commit yet: a worktree needs one."
          : `There is no branch or commit ${JSON.stringify(base)} here.`,
      );
    const baseRef = await this.#refOf(base, signal);
    const { path: given } = (await this.#deps.created?.(name, signal)) ?? {};
    const record: WorktreeRecord = {
      version: 1,
      name,
      origin,
      state: "creating",
      createdAt: new Date().toISOString(),
      path: given ?? join(folder, name),
      madeBy: given === undefined ? "quoll" : "hook",
      ...(given === undefined && { branch: branchOf(name) }),
      base: commit,
      ...(baseRef !== undefined && { baseRef }),
    };
    if (given !== undefined) return this.#adopted(record, signal);
    await this.#assertFree(record, signal);
    this.#records.write(record);
    try {
      await makeWorktree(record, this.#making(record), signal);
    } catch (error) {
      // Also after an abort, nothing half-made may stay.
      await undoWorktree(record, this.#making(record), new AbortController().signal);
      this.#records.forget(name);
      throw error;
    }
    const ready = { ...record, path: realPathOrSelf(record.path), state: "ready" } as const;
    this.#records.write(ready);
    return ready;
  }

  /** Takes the folder that a hook made. */
  async #adopted(record: WorktreeRecord, signal: AbortSignal): Promise<WorktreeRecord> {
    const path = realPathOrSelf(record.path);
    const gitFolder = linkedGitFolder(path, this.#deps.repository.commonFolder);
    const { base: _base, baseRef: _baseRef, ...plain } = record;
    if (gitFolder === undefined) {
      const ready = { ...plain, path, state: "ready" } as const;
      this.#records.write(ready);
      return ready;
    }
    const git = this.#git.at(path, gitFolder);
    const { stdout } = await git.ask(["symbolic-ref", "--short", "-q", "HEAD"], signal);
    const base = await commitOf(git, "HEAD", signal);
    const branch = stdout.trim();
    const ready = {
      ...plain,
      path,
      state: "ready" as const,
      ...(base !== undefined && { base }),
      ...(branch !== "" && { branch }),
    };
    this.#records.write(ready);
    return ready;
  }

  /** @throws {UserFacingError} the folder or the branch exists. */
  async #assertFree({ name, path, branch }: WorktreeRecord, signal: AbortSignal): Promise<void> {
    if (isInside(this.#deps.repository.top, path))
      throw new UserFacingError(
        `The setting worktree.folder leads into the repository (${path}): choose a folder outside.`,
      );
    if (entryExists(path))
      throw new UserFacingError(`${path} exists already, and Quoll did not make it: choose another name.`);
    if ((await commitOf(this.#git, `refs/heads/${branch}`, signal)) !== undefined)
      throw new UserFacingError(`The branch ${branch} exists already: choose another name than ${name}.`);
  }

  /** The branch that the base names. */
  async #refOf(base: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const args =
      base === undefined
        ? ["symbolic-ref", "-q", "HEAD"]
        : ["rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", base];
    const { exitCode, stdout } = await this.#git.ask(args, signal);
    const name = stdout.trim();
    return exitCode === 0 && name.startsWith("refs/") ? name : undefined;
  }

  #left(record: WorktreeRecord, signal: AbortSignal): Promise<WorkLeft> {
    return workLeft(record, { git: this.#git, commonFolder: this.#deps.repository.commonFolder }, signal);
  }

  /** Counts once more, then removes. */
  async #removed(record: WorktreeRecord, discards: boolean, signal: AbortSignal): Promise<Removal> {
    const left = await this.#left(record, signal);
    const why = discards ? undefined : lossIn(left);
    if (why !== undefined) {
      this.#records.write({ ...record, state: "ready", isReported: true });
      return { isRemoved: false, why };
    }
    this.#records.write({ ...record, state: "removing" });
    try {
      if (record.madeBy === "quoll") await removeRecorded(record, { git: this.#git, left, discards }, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#records.write({ ...record, state: "ready", isReported: true });
      return { isRemoved: false, why: errorMessage(error).replace(/\.$/, "") };
    }
    await this.#deps.removed?.(record.path, signal);
    if (record.madeBy === "hook" && entryExists(record.path)) {
      this.#records.write({ ...record, state: "ready", isReported: true });
      return { isRemoved: false, why: "a hook made it, and no WorktreeRemove hook removed it" };
    }
    this.#records.forget(record.name);
    return { isRemoved: true };
  }
}
