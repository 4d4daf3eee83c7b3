import { UserFacingError } from "../../contracts/errors.ts";
import type { LockHolder } from "../../platform/lock-file.ts";
import { isOwnProcess } from "../../platform/process-identity.ts";

/** The error for a worktree that a session holds. @param holder Undefined if its lock can't be read. */
export function worktreeInUse(name: string, holder: LockHolder | undefined): UserFacingError {
  if (holder && isOwnProcess(holder))
    return new UserFacingError(
      `The worktree ${name} is in use by this session: choose another name, or leave it first.`,
    );
  const who = holder ? `process ${holder.pid}${holder.host ? ` on ${holder.host}` : ""}` : "another process";
  return new UserFacingError(`The worktree ${name} is in use by ${who}: choose another name, or end that session.`);
}
