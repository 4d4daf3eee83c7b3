import { closeSync, linkSync, openSync, readdirSync, readFileSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../contracts/errors.ts";
import { randomHex } from "./digest.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE, writeAll } from "./private-file.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

/** A takeover needs a lock itself, which a crash may also leave behind; this limits the nesting. */
const MAX_TAKEOVER_DEPTH = 3;
const MAX_ROUNDS = 20;
const RETRY_MS = 25;
const NONCE_BYTES = 12;

export type LockHolder = ProcessIdentity & {
  /** ISO 8601, UTC. */
  readonly since: string;
};

export interface HeldLock {
  readonly path: string;
  /** Releases the lock; a second call does nothing. */
  release(): void;
}

export type LockAttempt =
  | { readonly lock: HeldLock }
  /** `undefined`: the lock file is not a valid one. */
  | { readonly holder: LockHolder | undefined };

type Content = LockHolder & { readonly nonce: string };

/**
 * Takes a lock: a file that names its holder by pid, start time and host. The file is created atomically (as a hard
 * link to a finished file). The lock of an ended process is taken over by replacing the file, one process at a time.
 * @throws {Error} a system error: the folder can't be written.
 */
export function tryLock(path: string): LockAttempt {
  makePrivateFolder(dirname(path));
  return attempt(path, 0);
}

/** Like `tryLock`, but waits up to `waitMs` for a live holder. */
export async function waitForLock(path: string, waitMs: number): Promise<LockAttempt> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const result = tryLock(path);
    if ("lock" in result || performance.now() >= deadline) return result;
    await sleep(RETRY_MS);
  }
}

type Prepared = { readonly file: string; readonly nonce: string };

/**
 * A lock that this process takes again and again. The lock's finished file is kept beside the lock and linked into
 * place each time, because writing a new file would take longer than all other steps. `since` is then the time of the
 * first use.
 */
export class RepeatedLock {
  readonly #path: string;
  #prepared: Prepared | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Like `tryLock`. @throws {Error} a system error: the folder can't be written. */
  take(): LockAttempt {
    if (!this.#prepared) makePrivateFolder(dirname(this.#path));
    this.#prepared ??= prepare(this.#path);
    const { file, nonce } = this.#prepared;
    try {
      if (place(file, this.#path)) return { lock: held(this.#path, nonce) };
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      this.#prepared = undefined;
    }
    return tryLock(this.#path);
  }

  /** Like `waitForLock`. */
  async wait(waitMs: number): Promise<LockAttempt> {
    const now = this.take();
    return "lock" in now ? now : waitForLock(this.#path, waitMs);
  }

  /** Removes the kept file, and those of processes that have ended without doing so. Never throws. */
  close(): void {
    const own = this.#prepared?.file;
    this.#prepared = undefined;
    try {
      if (own !== undefined) rmSync(own, { force: true });
      for (const file of preparedFiles(this.#path)) {
        const found = readLock(file);
        if (found !== "missing" && found && isRunning(found) === "no") rmSync(file, { force: true });
      }
    } catch {
      // A remaining file is small, and the next process removes it.
    }
  }
}

/** The process that holds a lock now, without taking the lock; undefined if nobody does. */
export function lockHolder(path: string): LockHolder | undefined {
  const found = readLock(path);
  return found === "missing" || found === undefined || isRunning(found) === "no" ? undefined : found;
}

/** Writes the file that is linked to the place of the lock. */
function prepare(path: string, nonce = newNonce()): Prepared {
  const content: Content = { ...ownIdentity(), since: new Date().toISOString(), nonce };
  const file = `${path}.${nonce}`;
  writeNew(file, JSON.stringify(content));
  return { file, nonce };
}

function newNonce(): string {
  return randomHex(NONCE_BYTES);
}

function preparedFiles(path: string): readonly string[] {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  const isOne = (name: string) => name.startsWith(start) && name.length === start.length + 2 * NONCE_BYTES;
  return readdirSync(folder)
    .filter(isOne)
    .map((name) => join(folder, name));
}

function attempt(path: string, depth: number): LockAttempt {
  const nonce = newNonce();
  const temporary = `${path}.${nonce}`;
  try {
    prepare(path, nonce);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (place(temporary, path)) return { lock: held(path, nonce) };
      const found = readLock(path);
      if (found === "missing") continue;
      if (found === undefined || depth >= MAX_TAKEOVER_DEPTH || isRunning(found) !== "no") return { holder: found };
      if (takeOver(path, temporary, found.nonce, depth)) return { lock: held(path, nonce) };
    }
    const last = readLock(path);
    return { holder: last === "missing" ? undefined : last };
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Replaces the lock of a dead holder, unless another process was faster. */
function takeOver(path: string, temporary: string, nonce: string, depth: number): boolean {
  const guard = attempt(`${path}.takeover`, depth + 1);
  if (!("lock" in guard)) return false;
  try {
    const found = readLock(path);
    if (found === undefined || found === "missing" || found.nonce !== nonce) return false;
    renameSync(temporary, path);
    return true;
  } finally {
    guard.lock.release();
  }
}

function held(path: string, nonce: string): HeldLock {
  let isHeld = true;
  return {
    path,
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      const found = readLock(path);
      if (found !== undefined && found !== "missing" && found.nonce === nonce) unlinkSync(path);
    },
  };
}

/** @returns false when the lock already exists. */
function place(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error;
  }
  // On a file system without hard links, a reader may see a file that is not fully written.
  try {
    writeNew(path, readFileSync(temporary, "utf8"));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function writeNew(path: string, text: string): void {
  const fd = openSync(path, "wx", PRIVATE_FILE_MODE);
  try {
    writeAll(fd, Buffer.from(text));
  } finally {
    closeSync(fd);
  }
}

function readLock(path: string): Content | "missing" | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "missing";
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isContent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isContent(value: unknown): value is Content {
  if (typeof value !== "object" || value === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const texts = ["startTime", "host", "bootId", "pidNamespace", "since", "nonce"];
  return typeof fields["pid"] === "number" && texts.every((name) => typeof fields[name] === "string");
}
