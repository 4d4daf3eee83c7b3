import { runAtOnce } from "../../src/platform/sliced-work.ts";
import { reopenSessionLog } from "../../src/services/session/reopen-session-log.ts";
import { type RestoredFromFile, restoring } from "../../src/services/session/restore-session.ts";
import type { OpenSession } from "../../src/services/session/session-log.ts";

/** Reads a session file as a resumed session does. */
export const restoreSession = (file: string): RestoredFromFile => runAtOnce(restoring(file)).restored;

/** Opens a saved session, and reads its conversation. */
export const reopenSession = (options: OpenSession) => runAtOnce(reopenSessionLog(options));
