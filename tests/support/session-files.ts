import { type RestoredFromFile, restoreSession } from "../../src/services/session/restore-session.ts";

/** Reads a session file as a resumed session does. */
export const restoredFrom = (file: string): RestoredFromFile => restoreSession(file).restored;
