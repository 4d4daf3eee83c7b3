import { basename } from "node:path";
import type { RestoredSession } from "../../contracts/session.ts";
import { readSession } from "./read-session.ts";
import { SESSION_ENDING } from "./session-file.ts";

/** A session to continue, and the problems of its file. */
export type RestoredFromFile = RestoredSession & { readonly warnings: readonly string[] };

/**
 * Reads the entries of a session after the last `cleared`. Changes nothing.
 * @throws {UserFacingError} the file can't be read or was written in a newer format.
 */
export function restoreSession(file: string): RestoredFromFile {
  const { sessionId = basename(file, SESSION_ENDING), startedAt, path, lastId, warnings } = readSession(file);
  return { sessionId, entries: path, lastId, ...(startedAt !== undefined && { startedAt }), warnings };
}
