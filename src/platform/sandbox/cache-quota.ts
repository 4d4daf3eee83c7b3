import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makePrivateFolder, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from "../private-file.ts";
import { runCaptured } from "../processes/run-captured.ts";

/** Commands write here; beside it lie the marks below, which none of them reaches. */
const FILES = "files";
const LAST_USE = "last-use";
/** The caches were seen to be too large: they are emptied at the start of a later session. */
const OVER_MARK = "over";
const TRASH = ".trash-";
/** Caches that were used since may be in use still, by another session. */
const IN_USE_MS = 60 * 60 * 1000;
const WORK_MS = 10 * 60 * 1000;
const BLOCK_BYTES = 1024;

export type CacheLimits = { readonly perProject: number; readonly inAll: number };
export const CACHE_LIMITS: CacheLimits = { perProject: 5 * 1024 ** 3, inAll: 20 * 1024 ** 3 };

/**
 * Makes the folder of a project's caches, emptied first if it was found too large and nobody has used it for an hour.
 * @param folder Its parent holds those of all projects, and nothing else.
 * @param now Milliseconds since the epoch.
 * @param fill Called with a folder that is new, before anybody else knows of it.
 * @returns the folder that commands may write to.
 * @throws {Error} a system error: it can't be made.
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

/** To be called at each use, so that no other session removes it. @throws {Error} a system error. */
export function markUse(folder: string, now: number): void {
  const path = join(folder, LAST_USE);
  if (!existsSync(path)) writeFileSync(path, "", { mode: PRIVATE_FILE_MODE });
  utimesSync(path, now / 1000, now / 1000);
}

/**
 * Keeps the caches of all projects within their limits: marks this project's when they are too large, and removes those of others, the
 * longest unused first. Takes a while; an abort ends it early. Never rejects.
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
    // The session ends, or another one does the same: a later one goes on with it.
  }
}

function trashBeside(folder: string): string {
  return join(dirname(folder), `${TRASH}${randomUUID()}`);
}

/** Milliseconds since the epoch; 0 where there are no caches. */
function lastUse(folder: string): number {
  return statSync(join(folder, LAST_USE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** By the system's rm: a command that still runs can't lead it elsewhere by exchanging folders for links. */
async function remove(path: string, signal: AbortSignal): Promise<void> {
  await runSystem("/bin/rm", ["-rf", "--", path], signal);
}

/** What the files take on the disk. */
async function bytesIn(folder: string, signal: AbortSignal): Promise<number> {
  const said = await runSystem("/usr/bin/du", ["-sk", "--", folder], signal);
  return Number.parseInt(said, 10) * BLOCK_BYTES || 0;
}

async function runSystem(file: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
  const done = await runCaptured({ file, args, cwd: "/", env, timeoutMs: WORK_MS, maxBytes: 64 * 1024 }, signal);
  return done.kind === "ended" ? done.stdout : "";
}
