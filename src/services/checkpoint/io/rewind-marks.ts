import { rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../../platform/files/list-folder.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE } from "../../../platform/private-file.ts";

const MARKS = "rewinding";

/** Where the checkpoints of a session are: `folder` is that of the project, absolute. */
type Place = { readonly folder: string; readonly sessionId: string };

/**
 * Marks a session while a rewind runs in it, so that the next start of any session in the project finds a rewind that
 * was interrupted, without reading the records of all sessions.
 * @throws {Error} a system error.
 */
export function markRewind({ folder, sessionId }: Place): void {
  makePrivateFolder(join(folder, MARKS));
  writeFileSync(join(folder, MARKS, sessionId), "", { mode: PRIVATE_FILE_MODE });
}

/** The mark may stay if the system refuses: the next start then finds nothing to finish, and tries again. */
export function unmarkRewind({ folder, sessionId }: Place): void {
  try {
    rmSync(join(folder, MARKS, sessionId), { force: true });
    // Starts look for the folder.
    rmdirSync(join(folder, MARKS));
  } catch {
    // Another session's mark, or a read-only disk.
  }
}

/** The sessions of a project in which a rewind runs or was interrupted. */
export function markedSessions(folder: string): readonly string[] {
  return namesIn(join(folder, MARKS)) ?? [];
}
