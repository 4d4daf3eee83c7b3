import { join } from "node:path";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Entry } from "../../contracts/session.ts";
import type { Frame } from "./read-line.ts";

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

/** Formats an entry as one line, with its line feed. The fields for session lists come first, so that a list reads only the start. */
export function formatEntry(entry: Entry | Frame): string {
  const { v, id, parentId, kind, ...rest } = entry;
  const { time, ...body } = rest as { readonly time?: unknown };
  const early = "prompt" in body ? { prompt: body.prompt } : {};
  return `${JSON.stringify({ v, id, parentId, time, kind, ...early, ...body })}\n`;
}
