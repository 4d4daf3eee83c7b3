import { join } from "node:path";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import { byWord } from "../../contracts/words.ts";
import { AppendFile } from "../../platform/append-file.ts";
import { type HeldLock, tryLock, waitForLock } from "../../platform/lock-file.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "../../platform/process-identity.ts";
import { listFiles, readLines } from "../../platform/read-chunks.ts";
import { DayState, localDay } from "./day-state.ts";
import { formatLine, type LedgerLine, readLedgerText, type SettledLine } from "./ledger-line.ts";

export const LEDGER_ENDING = ".jsonl";
/** How long another process may hold the lock. */
const LOCK_WAIT_MS = 5_000;
const DAY_MS = 86_400_000;
/** Days kept in memory; older days are read again when needed. */
const MAX_DAYS = 3;
/** Lines held back while the ledger cannot be written. */
const MAX_WAITING_LINES = 10_000;

/** A day's file while the lock is held. */
export interface DayBook {
  readonly state: DayState;
  readonly path: string;
  /** @throws {Error} a system error: nothing was written. */
  append(line: LedgerLine): void;
}

export type LedgerOptions = {
  /** `spend` in our data folder; absolute. */
  readonly folder: string;
  /** The writing process; default: this process. */
  readonly identity?: ProcessIdentity;
  /** True if a process still runs; default: the system's answer. */
  readonly isRunning?: (identity: ProcessIdentity) => "yes" | "no" | "unknown";
  readonly lockWaitMs?: number;
};

/** The day is found when the line is written: the first local date of a process takes several milliseconds. */
type Waiting = { readonly sentAtMs: number; readonly line: LedgerLine };

/**
 * The spending of all sessions of this user: one append-only file per day (JSON lines, 0600), shared by processes under one
 * lock. Work under the lock is synchronous, so that it is atomic for other parts of this process too.
 */
export class SpendLedger {
  readonly folder: string;
  readonly identity: ProcessIdentity;
  readonly #isRunning: (identity: ProcessIdentity) => "yes" | "no" | "unknown";
  readonly #lockWaitMs: number;
  readonly #days = new Map<string, DayState>();
  #waiting: Waiting[] = [];

  constructor(options: LedgerOptions) {
    this.folder = options.folder;
    this.identity = options.identity ?? ownIdentity();
    this.#isRunning = options.isRunning ?? isRunning;
    this.#lockWaitMs = options.lockWaitMs ?? LOCK_WAIT_MS;
  }

  /**
   * Reads the new lines of a day, and runs `work` on them while the ledger is locked.
   * @throws {Error} one line: the ledger cannot be locked, read or written. Also any error of `work`.
   */
  async locked<Result>(day: string, work: (book: DayBook) => Result): Promise<Result> {
    const taken = this.#lock();
    using _lock = taken instanceof Promise ? await taken : taken;
    this.#writeWaiting((other) => other !== day);
    return this.#withBook(day, (book) => {
      this.#writeWaiting((own) => own === day, book);
      return work(book);
    });
  }

  /** Holds a line of a request until the ledger is next locked, at the latest by `flush`. */
  note(sentAtMs: number, line: LedgerLine): void {
    this.#waiting = [...this.#waiting, { sentAtMs, line }].slice(-MAX_WAITING_LINES);
  }

  /** Writes the held lines. @returns the reason of a failure, in one line; the lines are then kept. */
  async flush(look?: { readonly day: string; readonly at: (book: DayBook) => void }): Promise<string | undefined> {
    const [first] = this.#waiting;
    const day = look?.day ?? (first && localDay(first.sentAtMs));
    if (day === undefined) return undefined;
    try {
      await this.locked(day, (book) => look?.at(book));
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  /**
   * A session's spending according to the files. Reads without the lock, because only the session's own process adds to it.
   * @param startedAt ISO 8601: files of earlier days are skipped.
   */
  *settledBy(session: string, startedAt?: string): Generator<SettledLine> {
    const marker = JSON.stringify(session);
    const since = startedAt === undefined ? Number.NaN : Date.parse(startedAt);
    // One day of tolerance, because the clock or the time zone may have changed.
    const firstDay = Number.isNaN(since) ? "" : localDay(since - DAY_MS);
    for (const { path, name } of listFiles(this.folder, LEDGER_ENDING)) {
      if (name < firstDay) continue;
      for (const { text } of readLines(path)) {
        if (!text.includes(marker)) continue;
        for (const { line } of readLedgerText(text)) {
          if (line?.state === "settled" && line.session === session && !line.refused) yield line;
        }
      }
    }
  }

  pathOf(day: string): string {
    return join(this.folder, `${day}${LEDGER_ENDING}`);
  }

  /** Synchronous if the lock is free, so that no other part of this process runs in between. */
  #lock(): HeldLock | Promise<HeldLock> {
    const attempt = this.#guardedLock(() => tryLock(this.#lockPath));
    return "lock" in attempt ? attempt.lock : this.#waitForLock();
  }

  get #lockPath(): string {
    return join(this.folder, "ledger.lock");
  }

  async #waitForLock(): Promise<HeldLock> {
    const attempt = await waitForLock(this.#lockPath, this.#lockWaitMs).catch((error: unknown) =>
      this.#guardedLock(() => {
        throw error;
      }),
    );
    if ("lock" in attempt) return attempt.lock;
    const who = attempt.holder ? `pid ${attempt.holder.pid} on ${attempt.holder.host}` : "an unreadable lock";
    throw new Error(
      `${this.#lockPath} is held by ${who}: end that program, or delete the file if the program has ended`,
    );
  }

  #guardedLock<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (cause) {
      throw new Error(`${this.folder} cannot be written (${reason(cause)})`, { cause });
    }
  }

  #withBook<Result>(day: string, work: (book: DayBook) => Result): Result {
    const path = this.pathOf(day);
    using file = guarded(path, () => new AppendFile(path));
    const state = guarded(path, () => this.#catchUp(day, file));
    state.dropDead((holder) => !this.#isOwn(holder) && this.#isRunning(holder) === "no");
    const append = (line: LedgerLine) => {
      const text = formatLine(line);
      guarded(path, () => file.append(text));
      state.count(line);
      state.offset = file.size;
    };
    return work({ state, path, append });
  }

  /** Reads the lines that other processes added. A file that became shorter is read from the start. */
  #catchUp(day: string, file: AppendFile): DayState {
    const known = this.#days.get(day);
    const state = known && known.offset <= file.size ? known : new DayState();
    this.#days.delete(day);
    this.#days.set(day, state);
    for (const oldest of [...this.#days.keys()].slice(0, -MAX_DAYS)) this.#days.delete(oldest);
    if (state.offset === file.size) return state;
    for (const { text, offset, complete } of readLines(file.path, state.offset)) {
      if (!complete && !this.#repair(text, offset, file)) break;
      state.take(text);
    }
    state.offset = file.size;
    return state;
  }

  /**
   * Removes a last line that a crash cut off, unless its amount is readable.
   * @returns true if a part of the line remains.
   */
  #repair(text: string, offset: number, file: AppendFile): boolean {
    const saysSomething = [...readLedgerText(text)].some(({ line }) => line !== undefined);
    const isOurs = text.startsWith('{"v":') || '{"v":'.startsWith(text);
    if (!saysSomething && isOurs) {
      file.truncate(offset);
      return false;
    }
    file.append("\n");
    return true;
  }

  /** Writes the held lines of some days; lines of the day of `book` are added to it. */
  #writeWaiting(isWanted: (day: string) => boolean, book?: DayBook): void {
    const written = new Set<Waiting>();
    try {
      for (const next of this.#waiting.filter(({ sentAtMs }) => isWanted(localDay(sentAtMs)))) {
        if (book) book.append(next.line);
        else this.#withBook(localDay(next.sentAtMs), (own) => own.append(next.line));
        written.add(next);
      }
    } finally {
      if (written.size > 0) this.#waiting = this.#waiting.filter((held) => !written.has(held));
    }
  }

  #isOwn({ pid, startTime, host }: ProcessIdentity): boolean {
    return pid === this.identity.pid && startTime === this.identity.startTime && host === this.identity.host;
  }
}

function guarded<Value>(path: string, work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${path} cannot be written (${reason(cause)})`, { cause });
  }
}

const REASONS = byWord({
  "the disk is full": "ENOSPC EDQUOT",
  "the file size limit is reached": "EFBIG",
  "permission denied": "EACCES EPERM",
  "the file system is read-only": "EROFS",
  "a file is in the place of a folder": "ENOTDIR EEXIST",
});

function reason(error: unknown): string {
  return REASONS[errorCode(error) ?? ""] ?? errorMessage(error);
}
