import type { SessionRetention } from "../../../contracts/settings.ts";
import type { Directories } from "../../../platform/directories.ts";
import { deleteSession, emptyBin } from "../../../services/session/io/session-storage.ts";
import { type Outdated, outdatedSessions } from "../../../services/session/retention.ts";
import { type PlacedSession, placedSessions } from "./placed-sessions.ts";

export const DEFAULT_KEEP_DAYS = 30;
export const DEFAULT_MAX_DISK_MB = 2_048;
const MEGABYTE = 1024 * 1024;
/** A deletion can be undone for at least this long. */
const UNDO_MS = 10 * 60 * 1_000;

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
