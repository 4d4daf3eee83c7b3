import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { GITLINK, type IndexName, indexNames } from "../../../platform/git/index-names.ts";
import { entryExists } from "../../../platform/paths.ts";

const SECOND_NS = 1_000_000_000n;
const LINK = 0o120000;
/** More bytes or files would hold up a command. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;
const MAX_CHECKED_FILES = 20_000;

type Repository = { readonly gitFolder: string; readonly workTree: string };

/**
 * Gives an index a later time, so that git believes the times of its entries.
 *
 * Git reads the content of each file that was changed in the second in which the index was written, or later: such a
 * file may have changed once more without another time ("racy git", git's Documentation/technical/racy-git). In the
 * sandbox git can't read a hidden file, and would call it changed. This is the state after most clones. Only an index
 * whose entries of that second all have the content that it names is changed, as `git status` would do.
 * @param hidden Absolute paths of tracked files that confined commands can't read.
 */
export function settleIndex({ gitFolder, workTree }: Repository, hidden: ReadonlySet<string>): void {
  try {
    const path = join(gitFolder, "index");
    const written = secondOf(lstatSync(path, { bigint: true }).mtimeNs);
    const racy = (indexNames(gitFolder) ?? []).filter(
      ({ mode, modifiedNs }) => mode !== GITLINK && secondOf(modifiedNs) >= written,
    );
    if (racy.length > MAX_CHECKED_FILES || !racy.some((entry) => hidden.has(join(workTree, entry.path)))) return;
    const later = 1 + Math.max(...racy.map(({ modifiedNs }) => secondOf(modifiedNs)));
    // A change from now on must get a later time than the entries.
    if (later > Math.floor(Date.now() / 1000) || !areUnchanged(racy, workTree)) return;
    if (secondOf(lstatSync(path, { bigint: true }).mtimeNs) === written) utimesSync(path, later, later);
  } catch {
    // The index is missing, locked away or being replaced: git then says that the hidden file looks changed.
  }
}

function secondOf(ns: bigint): number {
  return Number(ns / SECOND_NS);
}

function areUnchanged(entries: readonly IndexName[], workTree: string): boolean {
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_CHECKED_BYTES) return false;
  return entries.every((entry) => {
    const path = join(workTree, entry.path);
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    // Git sees by itself that a file is missing, or has another size or time.
    if (!stats || Number(stats.size) !== entry.size || stats.mtimeNs !== entry.modifiedNs) return true;
    // Reading a named pipe would wait for ever.
    if (entry.mode !== LINK && !stats.isFile()) return true;
    const content = entry.mode === LINK ? Buffer.from(readlinkSync(path)) : readFileSync(path);
    return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex") === entry.object;
  });
}

/** Git compares whether the owner may run a file; nobody may read or write it. */
const RUNNABLE = 0o100;

/**
 * Makes an empty file with the size and the modification time of another, which no confined program can read. It takes
 * no room on the disk.
 * @param folder A private folder.
 * @returns undefined if the file at `path` is not a regular file.
 */
export function standInFor(path: string, folder: string): string | undefined {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    const mode = Number(stats.mode) & RUNNABLE;
    const file = join(folder, `stand-in-${stats.size}-${stats.mtimeNs}-${mode}`);
    if (entryExists(file)) return file;
    const made = openSync(file, "wx", 0o600);
    ftruncateSync(made, Number(stats.size));
    closeSync(made);
    const seconds = Number(stats.mtimeNs / 1_000_000_000n);
    utimesSync(file, seconds, seconds);
    chmodSync(file, mode);
    return file;
  } catch {
    return undefined;
  }
}
