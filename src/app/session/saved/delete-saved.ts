import { basename, dirname, join } from "node:path";
import { forgetSession } from "../../../services/checkpoint/io/record-file.ts";
import { deleteSession, type SessionPlace } from "../../../services/session/io/session-storage.ts";

/**
 * Deletes a session for good: its log, its output and its checkpoints.
 * @throws {UserFacingError} a process has the session open. {Error} the system refused.
 */
export function deleteSaved(place: SessionPlace): void {
  deleteSession(place);
  const { folder, sessionId } = place;
  forgetSession(join(dirname(dirname(folder)), "checkpoints", basename(folder)), sessionId);
}
