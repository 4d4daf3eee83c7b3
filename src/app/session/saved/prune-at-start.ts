import { join } from "node:path";
import { formatCount } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import { parsedObject } from "../../../contracts/parsed-json.ts";
import type { SessionRetention } from "../../../contracts/settings.ts";
import type { Directories } from "../../../platform/directories.ts";
import { makePrivateFolder, replaceUnflushed } from "../../../platform/private-file.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import type { Outdated } from "../../../services/session/retention.ts";
import { forgetDeleted } from "./forget-deleted.ts";
import type { PlacedSession } from "./placed-sessions.ts";
import { DEFAULT_KEEP_DAYS, DEFAULT_MAX_DISK_MB, pruneSessions, sessionsToPrune } from "./prune-sessions.ts";

const FILE = "session-prune.json";
const MAX_FILE_BYTES = 4_096;
const DAY_MS = 24 * 60 * 60 * 1_000;

export type StartPrune = {
  readonly own: Pick<Directories, "data" | "state">;
  readonly retention: SessionRetention;
  /** When this process began, and now; milliseconds since the epoch. */
  readonly startedAt: number;
  readonly now: number;
  /** Tells the person one line. */
  notify(line: string): void;
};

/** `toldAt`: when the person was told that sessions will be deleted. `prunedAt`: the last look that needs no other today. */
type State = { readonly toldAt?: number; readonly prunedAt?: number };

/**
 * Deletes outdated sessions, at most once a day. The first time that there are any, the person is told, and a later
 * start deletes them.
 * @throws {UserFacingError} (as a rejection) a folder can't be read.
 */
export async function pruneAtStart({ own, retention, startedAt, now, notify }: StartPrune): Promise<void> {
  const { toldAt, prunedAt } = readState(own.state);
  // A clock that was set back must not put off the next prune for long.
  if (prunedAt !== undefined && prunedAt <= now && now - prunedAt < DAY_MS) return;
  const outdated = await sessionsToPrune(own, retention, now);
  if (outdated.length > 0 && toldAt === undefined) {
    notify(noticeOf(outdated, retention));
    writeState(own.state, { toldAt: now });
    return;
  }
  if (outdated.length > 0 && toldAt !== undefined && toldAt >= startedAt) return;
  const deleted = await pruneSessions(own, outdated, now);
  await forgetDeleted(
    own,
    deleted.map(({ session }) => session.place),
  );
  writeState(own.state, { ...(toldAt !== undefined && { toldAt }), prunedAt: now });
}

function noticeOf(outdated: readonly Outdated<PlacedSession>[], retention: SessionRetention): string {
  const { keepDays = DEFAULT_KEEP_DAYS, maxDiskMb = DEFAULT_MAX_DISK_MB } = retention;
  const bytes = outdated.reduce((sum, { session }) => sum + session.bytes, 0);
  const why = outdated.some((one) => one.why === "age")
    ? `not changed for ${plural(keepDays, "day")}`
    : `more than ${maxDiskMb} MiB in all`;
  return `From its next start on, Quoll deletes old sessions: now ${plural(outdated.length, "session")} (${formatCount(bytes)}B, ${why}). \`quoll sessions prune --dry-run\` lists them; pin or archive what you want to keep, or set sessions.keepDays.`;
}

/** Empty if there is none or it is damaged: then the person is told once more. */
function readState(folder: string): State {
  const { toldAt, prunedAt } = parsedObject(readSmallFile(join(folder, FILE), MAX_FILE_BYTES) ?? "") ?? {};
  return { ...(typeof toldAt === "number" && { toldAt }), ...(typeof prunedAt === "number" && { prunedAt }) };
}

function writeState(folder: string, state: State): void {
  makePrivateFolder(folder);
  replaceUnflushed(join(folder, FILE), JSON.stringify(state));
}
