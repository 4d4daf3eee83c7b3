import { UserFacingError } from "../../contracts/errors.ts";
import { entryExists } from "../../platform/paths.ts";
import { parseEntry } from "./entry.ts";
import { type RestoredFromFile, restoreSession } from "./restore-session.ts";
import { assertSessionId, sessionFile, sessionLock } from "./session-file.ts";
import { FileSessionLog, type LogEnvironment, lockSession, type OpenSessionLog } from "./session-log.ts";

/**
 * Opens a saved session for writing, as its only writer, and reads its conversation. From the file, only an incomplete
 * last line is removed.
 * @throws {UserFacingError} exit 2: there is no such session; exit 1: it is open in another Quoll, was written in a newer
 * format, or the system refused.
 */
export function reopenSessionLog(
  sessionId: string,
  environment: LogEnvironment,
): {
  readonly log: OpenSessionLog;
  readonly restored: RestoredFromFile;
} {
  const { folder } = environment;
  assertSessionId(sessionId);
  const path = sessionFile(folder, sessionId);
  // The lock is taken first, because the file must not change while it is read.
  const lock = lockSession(sessionLock(folder, sessionId), sessionId);
  try {
    if (!entryExists(path)) throw new UserFacingError(`There is no session ${sessionId}.`, 2);
    const { restored, end } = restoreSession(path);
    return { log: new FileSessionLog({ sessionId, path, lock, environment }, { end, parse: parseEntry }), restored };
  } catch (error) {
    lock.release();
    throw error;
  }
}
