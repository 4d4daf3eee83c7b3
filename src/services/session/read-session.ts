import { parseEntry } from "./entry.ts";
import { type ReadSession, type ScanRequest, scanSession } from "./scan-session.ts";

/**
 * Reads a session file, and checks the form of each entry.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function readSession(file: string, wanted: Omit<ScanRequest, "parse"> = {}): ReadSession {
  return scanSession(file, { parse: parseEntry, ...wanted });
}
