import { existsSync, mkdirSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makePrivateFolder, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from "../../../platform/private-file.ts";
import { runCaptured } from "../../../platform/processes/run-captured.ts";

/** Commands write to this folder; they can't access the marker files next to it. */
const FILES = "files";
const LAST_USE = "last-use";
/** Marks caches as too large: a later session empties them at its start. */
const OVER_MARK = "over";
const TRASH = ".trash-";
/** Caches used within this time may still be in use by another session. */
const IN_USE_MS = 60 * 60 * 1000;
const WORK_MS = 10 * 60 * 1000;
const BLOCK_BYTES = 1024;

export type CacheLimits = { readonly perProject: number; readonly inAll: number };
export const CACHE_LIMITS: CacheLimits = { perProject: 5 * 1024 ** 3, inAll: 20 * 1024 ** 3 };

/**
 * Creates a project's cache folder, or empties it when it was marked as too large and unused for an hour.
 * @param folder Its parent holds only the cache folders of all projects.
 * @param now Milliseconds since the epoch.
 * @param fill Called with a new folder before any other process can see it.
 * @returns the folder that commands may write to.
 * @throws {Error} a system error: the folder can't be created.
 */
export function openCacheFolder(folder: string, now: number, fill: (files: string) => void): string {
  if (existsSync(join(folder, OVER_MARK)) && lastUse(folder) < now - IN_USE_MS) renameSync(folder, trashBeside(folder));
  makePrivateFolder(folder);
  const files = join(folder, FILES);
  if (!existsSync(files)) {
    mkdirSync(files, { mode: PRIVATE_FOLDER_MODE });
    fill(files);
  }
  markUse(folder, now);
  return files;
}

/**
 * Marks the caches as used, so that no other session removes them. Call at each use.
 * @throws {Error} a system error.
 */
export function markUse(folder: string, now: number): void {
  const path = join(folder, LAST_USE);
  if (!existsSync(path)) writeFileSync(path, "", { mode: PRIVATE_FILE_MODE });
  utimesSync(path, now / 1000, now / 1000);
}

/**
 * Enforces the limits on the caches of all projects: marks this project's caches when they are too large, and removes
 * caches of other projects, least recently used first. This may take long; an abort ends it early. Never rejects.
 */
export async function keepCacheLimits(
  folder: string,
  { limits, now }: { readonly limits: CacheLimits; readonly now: number },
  signal: AbortSignal,
): Promise<void> {
  const parent = dirname(folder);
  try {
    const paths = (await readdir(parent)).map((name) => join(parent, name));
    for (const path of paths.filter((one) => one.startsWith(join(parent, TRASH)))) await remove(path, signal);
    const own = await bytesIn(folder, signal);
    if (own > limits.perProject) writeFileSync(join(folder, OVER_MARK), "", { mode: PRIVATE_FILE_MODE });
    const others = paths.filter((path) => path !== folder && lastUse(path) > 0);
    const sized: { readonly path: string; readonly bytes: number; readonly used: number }[] = [];
    for (const path of others) sized.push({ path, bytes: await bytesIn(path, signal), used: lastUse(path) });
    let total = own + sized.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes, used } of sized.sort((a, b) => a.used - b.used)) {
      if (total <= limits.inAll || used > now - IN_USE_MS) return;
      const trash = trashBeside(path);
      renameSync(path, trash);
      await remove(trash, signal);
      total -= bytes;
    }
  } catch {
    // The session ends, or another session does the same work; a later session continues.
  }
}

function trashBeside(folder: string): string {
  return join(dirname(folder), `${TRASH}${crypto.randomUUID()}`);
}

/** Milliseconds since the epoch; 0 where there are no caches. */
function lastUse(folder: string): number {
  return statSync(join(folder, LAST_USE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Uses the system's rm, which a running command can't misdirect by replacing folders with links. */
async function remove(path: string, signal: AbortSignal): Promise<void> {
  await runSystem("/bin/rm", ["-rf", "--", path], signal);
}

/** The disk space of the files. */
async function bytesIn(folder: string, signal: AbortSignal): Promise<number> {
  const said = await runSystem("/usr/bin/du", ["-sk", "--", folder], signal);
  return Number.parseInt(said, 10) * BLOCK_BYTES || 0;
}

async function runSystem(file: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
  const done = await runCaptured({ file, args, cwd: "/", env, timeoutMs: WORK_MS, maxBytes: 64 * 1024 }, signal);
  return done.kind === "ended" ? done.stdout : "";
}

/** Creates a folder with a symbolic link to each existing file. @throws {Error} a system error. */
export function makeLinks(targets: readonly string[], folder: string): void {
  const present = targets.filter((path) => existsSync(path));
  if (present.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const target of present) symlinkSync(target, join(folder, basename(target)));
}
