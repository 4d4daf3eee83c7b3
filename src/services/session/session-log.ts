import { MAIN_AGENT } from "../../contracts/agent.ts";
import {
  ConfigurationError,
  errorCode,
  errorMessage,
  SessionOpenError,
  UserFacingError,
} from "../../contracts/errors.ts";
import type { Clock, Ids } from "../../contracts/ports.ts";
import {
  type ConversationView,
  type Entry,
  type EntryBody,
  type EntryLink,
  type EntryPlace,
  type LabelledLog,
  makeEntry,
  type SessionLabel,
} from "../../contracts/session.ts";
import { byWord } from "../../contracts/words.ts";
import { AppendFile } from "../../platform/append-file.ts";
import { folderIdentity } from "../../platform/folder-identity.ts";
import { gitBranch } from "../../platform/git/find-ref.ts";
import { type HeldLock, type LockHolder, tryLock } from "../../platform/lock-file.ts";
import { entryExists } from "../../platform/paths.ts";
import { FinishedResults } from "./finished-results.ts";
import type { ParseLine } from "./index-session.ts";
import { LABEL_PLACE, labelBody } from "./label-entry.ts";
import { parseOwnLine } from "./read-line.ts";
import { readLinks, readPath } from "./read-path.ts";
import { readView } from "./read-view.ts";
import type { FileEnd } from "./restore-session.ts";
import { assertSessionId, formatEntry, sessionFile, sessionLock } from "./session-file.ts";
import { titleOf } from "./session-title.ts";

/** The folders and facts that all logs of a process share. */
export type LogEnvironment = {
  /** `sessions/<project id>` in our data folder; absolute. */
  readonly folder: string;
  /** The starting folder; the first entry records it, Quoll's version and `isHeadless`. */
  readonly cwd: string;
  /** The project's folder; absolute. Missing in tests and tools that need no project. */
  readonly root?: string;
  readonly version: string;
  /** True when no person can answer in this session. */
  readonly isHeadless?: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** A log that its owner must close. */
export interface OpenSessionLog extends LabelledLog {
  readonly path: string;
  /** Closes the file and releases the lock. */
  close(): void;
}

/**
 * Opens a new session for writing, as its only writer. It has no file before its first entry.
 * @throws {UserFacingError} exit 2: the id is unusable or taken; exit 1: it is open in another Quoll, or the system
 * refused.
 */
export function openSessionLog(sessionId: string, environment: LogEnvironment): OpenSessionLog {
  const { folder } = environment;
  assertSessionId(sessionId);
  const path = sessionFile(folder, sessionId);
  const lock = lockSession(sessionLock(folder, sessionId), sessionId);
  try {
    if (entryExists(path)) {
      throw new ConfigurationError("sessionExists", `There already is a session ${sessionId}.`);
    }
    return new FileSessionLog({ sessionId, path, lock, environment }, undefined);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The present end of a file, and the parser of its lines. */
type FileToContinue = { readonly end: FileEnd; readonly parse: ParseLine };

/** The file of a log that this process alone may write. */
type LogFile = {
  readonly sessionId: string;
  /** Absolute. */
  readonly path: string;
  readonly lock: HeldLock;
  readonly environment: LogEnvironment;
};

export class FileSessionLog implements OpenSessionLog {
  readonly sessionId: string;
  readonly path: string;
  readonly #lock: HeldLock;
  readonly #environment: LogEnvironment;
  readonly #parse: ParseLine;
  readonly #results = new FinishedResults();
  #file: AppendFile | undefined;
  #hasHeader = false;
  /** The id of the first entry in a new file. */
  #headerId: string | null = null;
  /** The label of a new session that has no file yet. */
  #waitingLabel: SessionLabel | undefined;
  #name: string | undefined;

  constructor({ sessionId, path, lock, environment }: LogFile, earlier: FileToContinue | undefined) {
    this.sessionId = sessionId;
    this.path = path;
    this.#lock = lock;
    this.#environment = environment;
    this.#parse = earlier?.parse ?? parseOwnLine;
    if (earlier) this.#reopen(earlier.end);
  }

  append(body: EntryBody, place: EntryPlace): Entry {
    this.#file ??= this.#guard(() => new AppendFile(this.path));
    if (!this.#hasHeader) this.#writeHeader();
    return this.#write(body, { ...place, parentId: place.parentId ?? this.#headerId });
  }

  get name(): string | undefined {
    return this.#name || undefined;
  }

  label(label: SessionLabel): void {
    this.#takeName(label);
    if (this.#hasHeader) this.#writeLabel(label);
    else this.#waitingLabel = { ...this.#waitingLabel, ...label };
  }

  pathTo(entryId: string, kinds?: readonly Entry["kind"][]): readonly Entry[] {
    const { path, leafId } = readPath(this.path, { parse: this.#parse, leafId: entryId, kinds });
    return leafId === entryId ? path : this.#hasNone(entryId);
  }

  viewTo(entryId: string): ConversationView {
    return readView(this.path, this.#parse, entryId) ?? this.#hasNone(entryId);
  }

  linksTo(entryId: string): readonly EntryLink[] {
    return readLinks(this.path, this.#parse, entryId) ?? this.#hasNone(entryId);
  }

  #hasNone(entryId: string): never {
    throw new UserFacingError(`Session ${this.sessionId} has no entry ${entryId} to go back to.`);
  }

  async sync(): Promise<void> {
    try {
      await this.#file?.sync();
    } catch (error) {
      throw logError(this.path, error);
    }
  }

  close(): void {
    this.#file?.close();
    this.#lock.release();
  }

  /**
   * The entry belongs to the session's own agent, whichever agent writes first, because a reader looks for the
   * last entry of the session's own agent.
   */
  #writeHeader(): void {
    const { sessionId } = this;
    const { cwd, root, version, isHeadless } = this.#environment;
    const branch = gitBranch(cwd);
    const rootId = root === undefined ? undefined : folderIdentity(root);
    const told = {
      ...(branch !== undefined && { branch }),
      ...(isHeadless && { isHeadless }),
      ...(rootId !== undefined && { rootId }),
    };
    const body = { kind: "session", sessionId, cwd, version, ...told } as const;
    const { id } = this.#write(body, { agent: MAIN_AGENT, parentId: null });
    this.#hasHeader = true;
    this.#headerId = id;
    if (this.#waitingLabel) this.#writeLabel(this.#waitingLabel);
    this.#waitingLabel = undefined;
  }

  #takeName({ name }: SessionLabel): void {
    if (typeof name === "string") this.#name = titleOf(name) ?? "";
  }

  #writeLabel(label: SessionLabel): void {
    this.#write(labelBody(label), LABEL_PLACE);
  }

  #write(body: EntryBody, place: EntryPlace): Entry {
    const { ids, clock } = this.#environment;
    const entry = makeEntry(body, place, { id: ids.next(), now: clock.now() });
    this.#guard(() => this.#file?.append(formatEntry(this.#results.stored(entry))));
    return entry;
  }

  /** Repairs damage from a crash, so that the next entry starts on a new line. */
  #reopen({ lastId, tornAt, lacksNewline, name }: FileEnd): void {
    const file = this.#guard(() => new AppendFile(this.path));
    this.#file = file;
    // Null if the crash came before the first entry was complete.
    this.#hasHeader = lastId !== null;
    if (name !== undefined) this.#takeName({ name });
    this.#guard(() => {
      if (tornAt !== undefined) file.truncate(tornAt);
      else if (lacksNewline) file.append("\n");
      // `--continue` resumes the most recently opened session, even if it has no new message.
      file.touch();
    });
  }

  #guard<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw logError(this.path, error);
    }
  }
}

/**
 * Checks that a session can be opened now.
 * @param folder The absolute folder of the project's sessions.
 * @throws {UserFacingError} another process has the session open.
 */
export function assertSessionFree(folder: string, sessionId: string): void {
  lockSession(sessionLock(folder, sessionId), sessionId).release();
}

/** Locks a session as its only writer. @throws {UserFacingError} another process has the session open. */
export function lockSession(path: string, sessionId: string): HeldLock {
  let attempt: ReturnType<typeof tryLock>;
  try {
    attempt = tryLock(path);
  } catch (error) {
    throw logError(path, error);
  }
  if ("lock" in attempt) return attempt.lock;
  const holder = describeHolder(attempt.holder, path);
  const message = `Session ${sessionId} is open in another Quoll (${holder}): end that one.`;
  throw new SessionOpenError(sessionId, message, attempt.holder?.pid);
}

function describeHolder(holder: LockHolder | undefined, path: string): string {
  if (!holder) return `lock ${path}`;
  return `pid ${holder.pid} on ${holder.host}, since ${localMinute(holder.since)}; lock ${path}`;
}

/** A moment in the person's time zone, such as `2026-11-28 14:05`. @param moment In the form of ISO 8601. */
function localMinute(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return moment;
  const [year, ...rest] = [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()];
  const [month, day, hour, minute] = rest.map((part) => String(part).padStart(2, "0"));
  return `${year}-${month}-${day} ${hour}:${minute}`;
}

/** The error about a file that could not be written. */
export function logError(path: string, error: unknown): UserFacingError {
  if (error instanceof UserFacingError) return error;
  return new UserFacingError(`The session could not be saved to ${path}: ${reason(error)}.`, 1, { cause: error });
}

const REASONS = byWord({
  "the disk is full; free some space": "ENOSPC EDQUOT",
  "its permissions don't let you write there": "EACCES EPERM",
  "the file system is read-only": "EROFS",
});

function reason(error: unknown): string {
  return REASONS[errorCode(error) ?? ""] ?? errorMessage(error);
}
