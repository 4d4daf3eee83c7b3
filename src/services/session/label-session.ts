import { UserFacingError } from "../../contracts/errors.ts";
import type { Clock, Ids } from "../../contracts/ports.ts";
import { makeEntry, type SessionLabel } from "../../contracts/session.ts";
import { AppendFile } from "../../platform/append-file.ts";
import { entryExists } from "../../platform/paths.ts";
import { LABEL_PLACE, labelBody } from "./label-entry.ts";
import { assertSessionId, formatEntry, sessionFile, sessionLock } from "./session-file.ts";
import { lockSession, logError } from "./session-log.ts";

/**
 * Names or marks a saved session that no process has open. The session keeps its age.
 * @param folder `sessions/<project id>` in our data folder; absolute.
 * @throws {UserFacingError} there is no such session, a process has it open, or the system refused.
 */
export function labelSession(
  { folder, sessionId }: { readonly folder: string; readonly sessionId: string },
  label: SessionLabel,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): void {
  assertSessionId(sessionId);
  const path = sessionFile(folder, sessionId);
  if (!entryExists(path)) throw new UserFacingError(`There is no session ${sessionId}.`, 2);
  const lock = lockSession(sessionLock(folder, sessionId), sessionId);
  try {
    const entry = makeEntry(labelBody(label), LABEL_PLACE, { id: ids.next(), now: clock.now() });
    appendKeepingAge(path, formatEntry(entry));
  } catch (error) {
    throw logError(path, error);
  } finally {
    lock.release();
  }
}

function appendKeepingAge(path: string, line: string): void {
  using file = new AppendFile(path);
  const { modifiedAt } = file;
  file.appendLines(line);
  file.touch(modifiedAt);
}
