import { parseEntry } from "./entry.ts";
import { indexSession } from "./index-session.ts";
import { type PathRequest, type ReadSession, readPath } from "./read-path.ts";

type ReadRequest = Partial<PathRequest>;

/**
 * Reads a conversation of a session file and checks its entries.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function readSession(file: string, request: ReadRequest = {}): ReadSession {
  return readPath(file, { parse: parseEntry, ...request });
}

/**
 * The last entry of an agent since the last `/clear`; undefined if it has none.
 * @throws {UserFacingError} the file can't be read.
 */
export function lastEntryOfAgent(file: string, agentId: string): string | undefined {
  const { entries } = indexSession(file, { parse: parseEntry });
  return entries.findLast((entry) => entry.agentId === agentId)?.id;
}
