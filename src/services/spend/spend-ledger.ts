import { join } from "node:path";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import { AppendFile } from "../../platform/append-file.ts";
import { type HeldLock, tryLock, waitForLock } from "../../platform/lock-file.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "../../platform/process-identity.ts";
import { listFiles, readLines } from "../../platform/read-chunks.ts";
import { DayState } from "./day-state.ts";
import { formatLine, type LedgerLine, readLedgerText, type SettledLine } from "./ledger-line.ts";
import { localDay } from "./local-day.ts";

export const LEDGER_ENDING = ".jsonl";
/** How long another process may keep the ledger to itself. */
const LOCK_WAIT_MS = 5_000;
const DAY_MS = 86_400_000;
/** Days kept in memory; an older one is read again when it is wanted. */
const MAX_DAYS = 3;
/** Lines kept back while the ledger can't be written. */
const MAX_WAITING_LINES = 10_000;

/** A day's file while nobody else can change it. */
export interface DayBook {
  readonly state: DayState;
  readonly path: string;
  /** @throws {Error} a system error: nothing was written. */
  append(line: LedgerLine): void;
}

export type LedgerOptions = {
  /** `spend` in our data folder; absolute. */
  readonly folder: string;
  /** Who writes; this process when left out. */
  readonly identity?: ProcessIdentity;
  /** Whether a process still runs; the system's answer when left out. */
  readonly isRunning?: (identity: ProcessIdentity) => "yes" | "no" | "unknown";
  readonly lockWaitMs?: number;
};

type Waiting = { readonly day: string; readonly line: LedgerLine };

/**
 * What all sessions of this user have spent: an append-only file for each day (JSON lines, 0600), shared by processes under one
 * lock. What happens under the lock is synchronous, so that it is one step for other parts of this process too.
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
   * Reads what is new of a day, and runs `work` on it while the ledger is locked.
   * @throws {Error} one line: the ledger can't be locked, read or written. Also what `work` throws.
   */
  async locked<Result>(day: string, work: (book: DayBook) => Result): Promise<Result> {
    const taken = this.#lock();
    const lock = taken instanceof Promise ? await taken : taken;
    try {
      this.#writeWaiting();
      return this.#withBook(day, work);
    } finally {
      lock.release();
    }
  }

  /** Keeps a line until the ledger is locked the next time, by `flush` at the latest. */
  note(day: string, line: LedgerLine): void {
    this.#waiting = [...this.#waiting, { day, line }].slice(-MAX_WAITING_LINES);
  }

  /** Writes what was noted. @returns why that could not be done, in one line: it is kept then. */
  async flush(look?: { readonly day: string; readonly at: (book: DayBook) => void }): Promise<string | undefined> {
    const day = look?.day ?? this.#waiting[0]?.day;
    if (day === undefined) return undefined;
    try {
      await this.locked(day, (book) => look?.at(book));
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  /**
   * What a session has spent, as the files say; read without the lock, since only its own process adds to it.
   * @param startedAt ISO 8601: files of earlier days are not read.
   */
  *settledBy(session: string, startedAt?: string): Generator<SettledLine> {
    const marker = JSON.stringify(session);
    const since = startedAt === undefined ? Number.NaN : Date.parse(startedAt);
    // A day of slack: the clock or the time zone may have been another one.
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

  /** At once where nobody else has it: then no other part of this process comes between either. */
  #lock(): HeldLock | Promise<HeldLock> {
    const path = join(this.folder, "ledger.lock");
    const attempt = this.#guardedLock(() => tryLock(path));
    return "lock" in attempt ? attempt.lock : this.#waitForLock(path);
  }

  async #waitForLock(path: string): Promise<HeldLock> {
    const attempt = await waitForLock(path, this.#lockWaitMs).catch((error: unknown) =>
      this.#guardedLock(() => {
        throw error;
      }),
    );
    if ("lock" in attempt) return attempt.lock;
    const who = attempt.holder ? `pid ${attempt.holder.pid} on ${attempt.holder.host}` : "an unreadable lock";
    throw new Error(`${path} is held by ${who}: end that program, or remove the file if it is gone`);
  }

  #guardedLock<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (cause) {
      throw new Error(`${this.folder} can't be written (${reason(cause)})`, { cause });
    }
  }

  #withBook<Result>(day: string, work: (book: DayBook) => Result): Result {
    const path = this.pathOf(day);
    const file = guarded(path, () => new AppendFile(path));
    try {
      const state = guarded(path, () => this.#catchUp(day, file));
      state.dropDead((holder) => !this.#isOwn(holder) && this.#isRunning(holder) === "no");
      const append = (line: LedgerLine) => {
        const text = formatLine(line);
        guarded(path, () => file.append(text));
        state.take(text);
        state.offset = file.size;
      };
      return work({ state, path, append });
    } finally {
      file.close();
    }
  }

  /** Reads what others have added. A file that is shorter than it was is read anew. */
  #catchUp(day: string, file: AppendFile): DayState {
    const known = this.#days.get(day);
    const state = known && known.offset <= file.size ? known : new DayState();
    this.#days.delete(day);
    this.#days.set(day, state);
    for (const oldest of [...this.#days.keys()].slice(0, -MAX_DAYS)) this.#days.delete(oldest);
    if (state.offset === file.size) return state;
    for (const { text, offset, complete } of readLines(file.path, state.offset)) {
      if (!complete && !this.#mend(text, offset, file)) break;
      state.take(text);
    }
    state.offset = file.size;
    return state;
  }

  /** The last line was cut off by a crash: what says nothing is taken away. @returns whether something is left of it. */
  #mend(text: string, offset: number, file: AppendFile): boolean {
    const saysSomething = [...readLedgerText(text)].some(({ line }) => line !== undefined);
    const isOurs = text.startsWith('{"v":') || '{"v":'.startsWith(text);
    if (!saysSomething && isOurs) {
      file.truncate(offset);
      return false;
    }
    file.append("\n");
    return true;
  }

  #writeWaiting(): void {
    while (this.#waiting.length > 0) {
      const [next] = this.#waiting;
      if (!next) return;
      this.#withBook(next.day, (book) => book.append(next.line));
      this.#waiting.shift();
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
    throw new Error(`${path} can't be written (${reason(cause)})`, { cause });
  }
}

function reason(error: unknown): string {
  switch (errorCode(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full";
    case "EFBIG":
      return "a limit on the size of files is reached";
    case "EACCES":
    case "EPERM":
      return "its permissions don't allow it";
    case "EROFS":
      return "the file system is read-only";
    case "ENOTDIR":
    case "EEXIST":
      return "a file stands where a folder should be";
    default:
      return errorMessage(error);
  }
}
