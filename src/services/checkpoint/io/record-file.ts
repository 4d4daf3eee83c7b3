import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../contracts/errors.ts";
import { AppendFile } from "../../../platform/append-file.ts";
import { type HeldLock, lockHolder, tryLock } from "../../../platform/lock-file.ts";
import { type CheckpointRecord, formatRecord, parseRecords, withoutDropped } from "../checkpoint-record.ts";

const RECORDS = ".jsonl";
const LOCK = ".lock";
/** In place of a session's id: the restores of backups that a shell asked for. */
export const RESTORES = "restores";

/** The file of a session's records. */
export function recordFile(folder: string, sessionId: string): string {
  return join(folder, `${sessionId}${RECORDS}`);
}

/** The lock that a session holds while it stores. */
export function sessionLock(folder: string, sessionId: string): string {
  return join(folder, `${sessionId}${LOCK}`);
}

/**
 * Removes the checkpoints of a deleted session. Their contents leave the disk with the next garbage collection of the
 * project. A session that a process has open keeps them.
 * @param folder The folder of the project's checkpoints: absolute.
 * @throws {Error} the system refused.
 */
export function forgetSession(folder: string, sessionId: string): void {
  const lock = sessionLock(folder, sessionId);
  if (lockHolder(lock) !== undefined) return;
  for (const path of [recordFile(folder, sessionId), lock]) rmSync(path, { force: true });
}

/** True if a running session stores in this folder. @throws {Error} a system error. */
export function isInUse(folder: string): boolean {
  return readdirSync(folder).some((name) => name.endsWith(LOCK) && lockHolder(join(folder, name)) !== undefined);
}

/** The id of the session whose records a file has; undefined for other files. */
export function sessionOf(name: string): string | undefined {
  return name.endsWith(RECORDS) ? name.slice(0, -RECORDS.length) : undefined;
}

/** The sessions with records in a folder. @throws {Error} a system error. */
export function sessionsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => sessionOf(name) ?? []);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The records in a file; none if there is no file. @throws {Error} a system error. */
export function readRecords(path: string): readonly CheckpointRecord[] {
  return parseRecords(textOrEmpty(path));
}

/** The text of a file; empty if there is no file. @throws {Error} a system error. */
export function textOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

export type RecordPlace = {
  /** The folder of the project's checkpoints: absolute. */
  readonly folder: string;
  readonly sessionId: string;
  /** The session that this one began as a copy of; its records up to the last one before this time (milliseconds since the epoch) count too. */
  readonly forkedFrom?: { readonly sessionId: string; readonly untilMs: number };
};

/** The records of one session: read once, then only appended to. */
export class SessionRecords {
  readonly #place: RecordPlace;
  #records: CheckpointRecord[] | undefined;
  #file: AppendFile | undefined;
  #lock: HeldLock | undefined;

  constructor(place: RecordPlace) {
    this.#place = place;
  }

  /** The folder of the project's checkpoints. */
  get folder(): string {
    return this.#place.folder;
  }

  /** Oldest first, without pruned ones. @throws {Error} a system error. */
  all(): readonly CheckpointRecord[] {
    return withoutDropped(this.#loaded());
  }

  /** True if old records were deleted. @throws {Error} a system error. */
  hasDropped(): boolean {
    return this.#loaded().some(({ kind }) => kind === "dropped");
  }

  /**
   * Keeps prunes away. Without the lock a prune may take away what was stored, which is the worst that another process
   * with this session can do.
   * @throws {Error} a system error.
   */
  hold(): void {
    if (this.#lock) return;
    const attempt = tryLock(sessionLock(this.#place.folder, this.#place.sessionId));
    if ("lock" in attempt) this.#lock = attempt.lock;
  }

  /** @throws {Error} a system error: nothing was written. */
  append(record: CheckpointRecord): void {
    const records = this.#loaded();
    this.#file ??= this.#open();
    this.#file.append(formatRecord(record));
    records.push(record);
  }

  /** Waits until the records are on the disk. @throws {Error} a system error. */
  async sync(): Promise<void> {
    await this.#file?.sync();
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#lock?.release();
    this.#lock = undefined;
  }

  #loaded(): CheckpointRecord[] {
    this.#records ??= [...this.#ofParent(), ...readRecords(this.#path())];
    return this.#records;
  }

  #ofParent(): readonly CheckpointRecord[] {
    const { folder, forkedFrom } = this.#place;
    if (!forkedFrom) return [];
    const records = withoutDropped(readRecords(recordFile(folder, forkedFrom.sessionId)));
    // The order counts: if the clock went back, earlier records have later times.
    return records.slice(0, 1 + records.findLastIndex((one) => one.time <= forkedFrom.untilMs));
  }

  #path(): string {
    return recordFile(this.#place.folder, this.#place.sessionId);
  }

  #open(): AppendFile {
    this.hold();
    const text = textOrEmpty(this.#path());
    const file = new AppendFile(this.#path());
    if (text !== "" && !text.endsWith("\n")) file.append("\n");
    return file;
  }
}
