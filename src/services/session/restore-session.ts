import { basename } from "node:path";
import type { RestoredSession } from "../../contracts/session.ts";
import { readSession } from "./read-session.ts";
import { restoreMessages } from "./restore-messages.ts";
import { SESSION_ENDING } from "./session-file.ts";

/** A session made ready to go on, and what was wrong with its file. */
export type RestoredFromFile = RestoredSession & { readonly warnings: readonly string[] };

/**
 * Reads a session back: what follows the last `cleared`, with a result for each call. Changes nothing.
 * @throws {UserFacingError} the file can't be read or was written in a newer format.
 */
export function restoreSession(file: string): RestoredFromFile {
  const { sessionId = basename(file, SESSION_ENDING), startedAt, path, warnings } = readSession(file);
  const messages = restoreMessages(path);
  return { sessionId, messages, ...(startedAt !== undefined && { startedAt }), warnings };
}
