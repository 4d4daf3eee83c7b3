import { join } from "node:path";
import type { SessionSummary } from "../../../contracts/session.ts";
import type { SessionRetention } from "../../../contracts/settings.ts";
import type { Directories } from "../../../platform/directories.ts";
import { listFolders } from "../../../platform/read-chunks.ts";
import {
  deleteSession,
  emptyBin,
  sessionsWithOutput,
  storedBytes,
} from "../../../services/session/io/session-storage.ts";
import { type Outdated, outdatedSessions } from "../../../services/session/retention.ts";
import { listSessions } from "../../../services/session/session-catalogue.ts";

export const DEFAULT_KEEP_DAYS = 30;
export const DEFAULT_MAX_DISK_MB = 2_048;
const MEGABYTE = 1024 * 1024;
/** A deletion can be undone for at least this long. */
const UNDO_MS = 10 * 60 * 1_000;

/** A session of any project, with what it takes on the disk. */
export type PlacedSession = Omit<SessionSummary, "bytes"> & {
  /** `sessions/<project id>` in Quoll's data folder; absolute. */
  readonly place: string;
  readonly projectId: string;
  /** Of the log and the output. */
  readonly bytes: number;
};

/** The sessions of all projects. @throws {UserFacingError} (as a rejection) a folder can't be read. */
export async function placedSessions({ data }: Pick<Directories, "data">): Promise<readonly PlacedSession[]> {
  const root = join(data, "sessions");
  const found: PlacedSession[] = [];
  for (const projectId of listFolders(root)) {
    const place = join(root, projectId);
    const withOutput = sessionsWithOutput(place);
    for (const session of await listSessions(place)) {
      const output = withOutput.has(session.id) ? storedBytes({ folder: place, sessionId: session.id }).outputBytes : 0;
      found.push({ ...session, place, projectId, bytes: session.bytes + output });
    }
  }
  return found;
}

/**
 * The sessions that are too old, or too many for the disk, oldest first.
 * @param now Milliseconds since the epoch.
 */
export async function sessionsToPrune(
  own: Pick<Directories, "data">,
  { keepDays = DEFAULT_KEEP_DAYS, maxDiskMb = DEFAULT_MAX_DISK_MB }: SessionRetention,
  now: number,
): Promise<readonly Outdated<PlacedSession>[]> {
  return outdatedSessions(await placedSessions(own), { keepDays, maxBytes: maxDiskMb * MEGABYTE }, now);
}

/**
 * Deletes sessions for good, and empties the bin.
 * @returns those that were deleted: one that was opened in the meantime stays.
 */
export function pruneSessions(
  own: Pick<Directories, "data">,
  outdated: readonly Outdated<PlacedSession>[],
  now: number,
): readonly Outdated<PlacedSession>[] {
  emptyBin(own.data, now - UNDO_MS);
  return outdated.filter(({ session }) => {
    try {
      deleteSession({ folder: session.place, sessionId: session.id });
      return true;
    } catch {
      return false;
    }
  });
}
