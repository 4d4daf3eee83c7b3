import { oneLine } from "@quoll/terminal-text/one-line";
import { SessionOpenError } from "../../../contracts/errors.ts";
import { listSessions } from "../../../services/session/session-catalogue.ts";

const MAX_TITLE_COLUMNS = 60;

/**
 * Describes a session that another process has open by its title, and says what to do.
 * @param folder The absolute folder of the project's sessions.
 * @returns the given error if no process is known: then only the path of the lock helps.
 */
export async function openElsewhere(error: SessionOpenError, folder: string): Promise<SessionOpenError> {
  const { sessionId, pid } = error;
  const found = (await listSessions(folder)).find(({ id }) => id === sessionId);
  if (!found || pid === undefined) return error;
  const title = oneLine(found.title, MAX_TITLE_COLUMNS);
  const message = `The session "${title}" is open in another Quoll (pid ${pid}): go on there, or end it there first.`;
  return new SessionOpenError(sessionId, message, pid, { cause: error });
}
