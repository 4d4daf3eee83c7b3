import { join } from "node:path";
import { UserFacingError } from "../../contracts/errors.ts";

export const SESSION_ENDING = ".jsonl";
export const LOCK_ENDING = ".lock";
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** The path of a session's file, which only this user can read. */
export function sessionFile(folder: string, sessionId: string): string {
  return join(folder, `${sessionId}${SESSION_ENDING}`);
}

/** The path of the lock that a process holds while it has the session open. */
export function sessionLock(folder: string, sessionId: string): string {
  return join(folder, `${sessionId}${LOCK_ENDING}`);
}

/** @throws {UserFacingError} (exit 2) the id can't be a file's name. */
export function assertSessionId(sessionId: string): void {
  if (SESSION_ID.test(sessionId)) return;
  throw new UserFacingError(
    `${JSON.stringify(sessionId)} is not a session id: letters, digits, - and _, 100 at most.`,
    2,
  );
}
