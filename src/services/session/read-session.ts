import { runAtOnce, type SlicedWork } from "../../platform/sliced-work.ts";
import { parseEntry } from "./entry.ts";
import { type PathRequest, type ReadSession, readingPath } from "./read-path.ts";

type ReadRequest = Partial<PathRequest>;

/**
 * Reads a conversation of a session file and checks its entries.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function readSession(file: string, request: ReadRequest = {}): ReadSession {
  return runAtOnce(readingSession(file, request));
}

/** `readSession` in slices. */
export function readingSession(file: string, request: ReadRequest = {}): SlicedWork<ReadSession> {
  return readingPath(file, { parse: parseEntry, ...request });
}
