import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../contracts/errors.ts";
import { parsedJson } from "../contracts/parsed-json.ts";
import { randomHex } from "./digest.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE } from "./private-file.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

/** A takeover needs a lock itself, which a crash may also leave behind; this limits the nesting. */
const MAX_TAKEOVER_DEPTH = 3;
const MAX_ATTEMPTS = 20;
const RETRY_MS = 25;
const NONCE_BYTES = 12;

export type LockHolder = ProcessIdentity & {
  /** ISO 8601, UTC. */
  readonly since: string;
};

/** `using` releases it too. */
export interface HeldLock extends Disposable {
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

/** The process that holds a lock now, without taking the lock; undefined if nobody does. */
export function lockHolder(path: string): LockHolder | undefined {
  const found = readLock(path);
  return found === "missing" || found === undefined || isRunning(found) === "no" ? undefined : found;
}

function attempt(path: string, depth: number): LockAttempt {
  const nonce = randomHex(NONCE_BYTES);
  const temporary = `${path}.${nonce}`;
  const content: Content = { ...ownIdentity(), since: new Date().toISOString(), nonce };
  try {
    writeNew(temporary, JSON.stringify(content));
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
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
  using _lock = guard.lock;
  const found = readLock(path);
  if (found === undefined || found === "missing" || found.nonce !== nonce) return false;
  renameSync(temporary, path);
  return true;
}

function held(path: string, nonce: string): HeldLock {
  let isHeld = true;
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    const found = readLock(path);
    if (found !== undefined && found !== "missing" && found.nonce === nonce) unlinkSync(path);
  };
  return { path, release, [Symbol.dispose]: release };
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
  writeFileSync(path, text, { flag: "wx", mode: PRIVATE_FILE_MODE });
}

function readLock(path: string): Content | "missing" | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "missing";
    throw error;
  }
  const value = parsedJson(text);
  return isContent(value) ? value : undefined;
}

function isContent(value: unknown): value is Content {
  if (typeof value !== "object" || value === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const texts = ["startTime", "host", "bootId", "pidNamespace", "since", "nonce"];
  return typeof fields["pid"] === "number" && texts.every((name) => typeof fields[name] === "string");
}
