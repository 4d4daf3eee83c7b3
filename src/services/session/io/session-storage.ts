import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UserFacingError } from "../../../contracts/errors.ts";
import { entryExists } from "../../../platform/paths.ts";
import { listFolders } from "../../../platform/read-chunks.ts";
import { assertSessionId, sessionFile, sessionLock } from "../session-file.ts";
import { lockSession } from "../session-log.ts";

/** Deleted sessions wait here for an `undo`, in a folder for each deletion: `<milliseconds since the epoch>.<project id>`. */
const BIN = "deleted-sessions";

/** The place of a session. `folder`: `sessions/<project id>` in Quoll's data folder; absolute. */
export type SessionPlace = { readonly folder: string; readonly sessionId: string };

export type StoredBytes = {
  readonly logBytes: number;
  /** The output that was too large for the context, and the records of agents. */
  readonly outputBytes: number;
  readonly outputFiles: number;
};

/** The bytes that a session takes on the disk. Links are not followed. */
export function storedBytes({ folder, sessionId }: SessionPlace): StoredBytes {
  const log = lstatSync(sessionFile(folder, sessionId), { throwIfNoEntry: false });
  const output = sizeOf(join(folder, sessionId));
  return { logBytes: log?.size ?? 0, outputBytes: output.bytes, outputFiles: output.files };
}

/** The ids of the sessions that have a folder with output. @throws {Error} the folder can't be read. */
export function sessionsWithOutput(folder: string): ReadonlySet<string> {
  return new Set(listFolders(folder));
}

/** Milliseconds since the epoch of the last change of a session's folder with output; undefined if there is none. */
export function outputModifiedAt({ folder, sessionId }: SessionPlace): number | undefined {
  return lstatSync(join(folder, sessionId), { throwIfNoEntry: false })?.mtimeMs;
}

function sizeOf(path: string): { readonly bytes: number; readonly files: number } {
  const kind = lstatSync(path, { throwIfNoEntry: false });
  if (!kind) return { bytes: 0, files: 0 };
  if (!kind.isDirectory()) return { bytes: kind.size, files: 1 };
  let [bytes, files] = [0, 0];
  for (const name of readdirSync(path)) {
    const inside = sizeOf(join(path, name));
    bytes += inside.bytes;
    files += inside.files;
  }
  return { bytes, files };
}

/**
 * Deletes a session's log and output for good.
 * @throws {UserFacingError} a process has the session open. {Error} the system refused.
 */
export function deleteSession(place: SessionPlace): void {
  const { folder, sessionId } = place;
  withLock(place, () => {
    // Without the log, the rest is no session. If this is interrupted, the next prune finds the output.
    rmSync(sessionFile(folder, sessionId), { force: true });
    rmSync(join(folder, sessionId), { recursive: true, force: true });
  });
}

/** A session in the bin, which `restoreSession` brings back. */
export type DeletedSession = SessionPlace & { readonly bin: string };

/**
 * Moves a session to the bin.
 * @param now Milliseconds since the epoch.
 * @throws {UserFacingError} a process has the session open. {Error} the system refused.
 */
export function binSession(place: SessionPlace, now: number): DeletedSession {
  const { folder, sessionId } = place;
  const bin = join(binFolder(folder), `${now}.${basename(folder)}`);
  withLock(place, () => {
    mkdirSync(bin, { recursive: true, mode: 0o700 });
    // If this is interrupted, the session is deleted, and the next prune finds the output.
    moveLog(sessionId, folder, bin);
    moveOutput(sessionId, folder, bin);
  });
  return { ...place, bin };
}

/** @throws {UserFacingError} the session is no longer in the bin, or another one has its id. */
export function unbinSession({ folder, sessionId, bin }: DeletedSession): void {
  if (!entryExists(sessionFile(bin, sessionId)))
    throw new UserFacingError("The deleted session can't be brought back: it was removed for good.");
  withLock({ folder, sessionId }, () => {
    if (entryExists(sessionFile(folder, sessionId)))
      throw new UserFacingError(`There already is a session ${sessionId}.`);
    // The session is back only with its output.
    moveOutput(sessionId, bin, folder);
    moveLog(sessionId, bin, folder);
    if (readdirSync(bin).length === 0) rmdirSync(bin);
  });
}

/**
 * Removes from the bin the sessions that were deleted before a time.
 * @param data Quoll's data folder; absolute.
 * @param before Milliseconds since the epoch.
 */
export function emptyBin(data: string, before: number): void {
  const root = join(data, BIN);
  for (const name of listFolders(root)) {
    const [time = ""] = name.split(".", 1);
    if (Number(time) < before) rmSync(join(root, name), { recursive: true, force: true });
  }
}

/** Beside the folder of all sessions, so that no list and no search finds deleted ones. */
function binFolder(folder: string): string {
  return join(dirname(dirname(folder)), BIN);
}

function moveLog(sessionId: string, from: string, to: string): void {
  renameSync(sessionFile(from, sessionId), sessionFile(to, sessionId));
}

function moveOutput(sessionId: string, from: string, to: string): void {
  const output = join(from, sessionId);
  if (entryExists(output)) renameSync(output, join(to, sessionId));
}

function withLock({ folder, sessionId }: SessionPlace, work: () => void): void {
  assertSessionId(sessionId);
  using _lock = lockSession(sessionLock(folder, sessionId), sessionId);
  work();
}
