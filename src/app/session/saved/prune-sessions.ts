import { basename, dirname, join } from "node:path";
import { setImmediate as giveWay } from "node:timers/promises";
import type { SessionRetention } from "../../../contracts/settings.ts";
import type { Directories } from "../../../platform/directories.ts";
import { listFolders } from "../../../platform/read-chunks.ts";
import { forgetSession } from "../../../services/checkpoint/io/record-file.ts";
import {
  deleteSession,
  emptyBin,
  outputModifiedAt,
  type SessionPlace,
  sessionsWithOutput,
  storedBytes,
} from "../../../services/session/io/session-storage.ts";
import { type Outdated, outdatedSessions } from "../../../services/session/retention.ts";
import { openSessions } from "../../../services/session/session-catalogue.ts";
import { type PlacedSession, placedSessions } from "./placed-sessions.ts";

export const DEFAULT_KEEP_DAYS = 30;
export const DEFAULT_MAX_DISK_MB = 2_048;
const MEGABYTE = 1024 * 1024;
/** A deletion can be undone for at least this long. */
const UNDO_MS = 10 * 60 * 1_000;
const NO_LOG = "(output without a log)";

type Own = Pick<Directories, "data">;

/**
 * The sessions that are too old, or too many for the disk, oldest first.
 * @param now Milliseconds since the epoch.
 * @throws {UserFacingError} (as a rejection) a folder can't be read.
 */
export async function sessionsToPrune(
  own: Own,
  { keepDays = DEFAULT_KEEP_DAYS, maxDiskMb = DEFAULT_MAX_DISK_MB }: SessionRetention,
  now: number,
): Promise<readonly Outdated<PlacedSession>[]> {
  const all = await placedSessions(own);
  return outdatedSessions([...all, ...outputsWithoutLog(own, all)], { keepDays, maxBytes: maxDiskMb * MEGABYTE }, now);
}

/** Folders with output whose session was deleted half before a crash. */
function outputsWithoutLog({ data }: Own, all: readonly PlacedSession[]): readonly PlacedSession[] {
  const known = new Set(all.map(({ place, id }) => join(place, id)));
  const root = join(data, "sessions");
  return listFolders(root).flatMap((projectId) => {
    const place = join(root, projectId);
    const open = openSessions(place);
    return [...sessionsWithOutput(place)].flatMap((id): PlacedSession[] => {
      const at = { folder: place, sessionId: id };
      const modifiedAt = known.has(join(place, id)) || open.has(id) ? undefined : outputModifiedAt(at);
      if (modifiedAt === undefined) return [];
      const bytes = storedBytes(at).outputBytes;
      return [{ id, title: NO_LOG, modifiedAt, bytes, prompts: 0, costUsd: 0, place, projectId }];
    });
  });
}

/**
 * Deletes sessions for good, and empties the bin. Other work gets its turn after each session.
 * @returns those that were deleted: one that was opened in the meantime, or that the system protects, stays.
 */
export async function pruneSessions(
  own: Own,
  outdated: readonly Outdated<PlacedSession>[],
  now: number,
): Promise<readonly Outdated<PlacedSession>[]> {
  emptyBin(own.data, now - UNDO_MS);
  const deleted: Outdated<PlacedSession>[] = [];
  for (const one of outdated) {
    try {
      deleteSaved({ folder: one.session.place, sessionId: one.session.id });
      deleted.push(one);
    } catch {
      // The next prune tries again.
    }
    await giveWay();
  }
  return deleted;
}

/**
 * Deletes a session for good: its log, its output and its checkpoints.
 * @throws {UserFacingError} a process has the session open. {Error} the system refused.
 */
export function deleteSaved(place: SessionPlace): void {
  deleteSession(place);
  const { folder, sessionId } = place;
  forgetSession(join(dirname(dirname(folder)), "checkpoints", basename(folder)), sessionId);
}
