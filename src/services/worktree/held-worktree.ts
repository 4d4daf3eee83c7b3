import { UserFacingError } from "../../contracts/errors.ts";
import type { LockHolder } from "../../platform/lock-file.ts";
import { isOwnProcess } from "../../platform/process-identity.ts";
import type { WorkLeft } from "./io/work-left.ts";
import type { WorktreeRecord } from "./io/worktree-records.ts";

export type WorktreeRequest = {
  /** Without one, Quoll makes up a name. */
  readonly name?: string;
  /** A branch or commit, for a new worktree only. */
  readonly base?: string;
  /** True to take only a worktree that is there. */
  readonly mustExist?: boolean;
};

/** A worktree with its work; `isInUse`: a session works in it. */
export type ListedWorktree = {
  readonly record: WorktreeRecord;
  readonly left: WorkLeft;
  readonly isInUse: boolean;
};

export type Removal = { readonly isRemoved: true } | { readonly isRemoved: false; readonly why: string };

/** A worktree that this process works in; nobody else may remove it in the meantime. */
export type HeldWorktree = {
  readonly record: WorktreeRecord;
  /** False for a worktree that was there before. */
  readonly isNew: boolean;
  /** Removes the worktree if nothing in it would be lost, and gives it back otherwise. A second call does nothing. */
  leave(signal: AbortSignal): Promise<Removal>;
  /**
   * Removes the worktree, and gives it back only if it is gone.
   * @param discards True to lose the work in it.
   */
  remove(discards: boolean, signal: AbortSignal): Promise<Removal>;
  /** Gives the worktree back, whatever is in it. */
  release(): void;
};

/** The error for a worktree that a session holds. @param holder Undefined if its lock can't be read. */
export function worktreeInUse(name: string, holder: LockHolder | undefined): UserFacingError {
  if (holder && isOwnProcess(holder))
    return new UserFacingError(
      `The worktree ${name} is in use by this session: choose another name, or leave it first.`,
    );
  const who = holder ? `process ${holder.pid}${holder.host ? ` on ${holder.host}` : ""}` : "another process";
  return new UserFacingError(`The worktree ${name} is in use by ${who}: choose another name, or end that session.`);
}
