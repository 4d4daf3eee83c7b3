import { constants, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { errorCode, ToolFailedError } from "../../contracts/errors.ts";
import type { FileStamp, FileWrite } from "../../contracts/files.ts";
import { randomHex } from "../digest.ts";
import { fileError } from "./file-error.ts";
import { isSameState, stampOf } from "./file-stamp.ts";
import { changedMeanwhile, HeldFolder } from "./held-folder.ts";

const PERMISSION_BITS = 0o7777;
const WITHOUT_SET_ID = 0o1777;
const TEMPORARY = /^\.quoll-[0-9a-f]{16}\.tmp$/;
/** No write takes so long: an older temporary file was left by a process that was killed. */
const LEFT_MS = 10 * 60_000;
/** The folders in which files that were left are no longer looked for; the oldest are forgotten. */
const MAX_SWEPT = 200;
const swept = new Set<string>();

type WriteRequest = FileWrite & {
  /** As for `HeldFolder.hold`. */
  readonly byHandle?: boolean;
};

/**
 * Writes a file completely or not at all: into a temporary file beside it, which is flushed to the disk and then
 * renamed. All of this happens in the folder that was judged (see HeldFolder), even if its path is replaced in the
 * meantime.
 * Missing folders are created one by one; mode and (where allowed) owner are kept. No other code of this process runs
 * between the last check of the file and the rename.
 * @returns the stamp of the written file.
 * @throws {ToolFailedError} the file or its folder is not in the expected state, or the system refused.
 */
export async function writeFile({ path, bytes, expected, signal, byHandle }: WriteRequest): Promise<FileStamp> {
  refuseReadOnly(path, expected);
  try {
    using folder = holdOrMake(dirname(path), byHandle);
    return await writeInto(folder, { path, bytes, expected, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw fileError(error, path);
  }
}

async function writeInto(
  folder: HeldFolder,
  { path, bytes, expected, signal }: Omit<WriteRequest, "byHandle">,
): Promise<FileStamp> {
  const name = basename(path);
  const temporary = `.quoll-${randomHex(8)}.tmp`;
  try {
    await writeTemporary(folder, temporary, bytes, expected);
    signal.throwIfAborted();
    if (!isSameState(folder.stampOf(name), expected)) throw changed(path, expected);
    renameSync(folder.entry(temporary), folder.entry(name));
    const stamp = stampOf(lstatSync(folder.entry(name)));
    await flushFolder(folder);
    sweepOnce(folder);
    return stamp;
  } catch (error) {
    removeTemporary(folder.entry(temporary));
    throw error;
  }
}

/** Holds a folder. The missing folders are created from the top down, starting below the nearest existing folder. */
function holdOrMake(path: string, byHandle: boolean | undefined): HeldFolder {
  try {
    return HeldFolder.hold(path, byHandle);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
  }
  using parent = holdOrMake(dirname(path), byHandle);
  makeFolder(parent.entry(basename(path)));
  return parent.enter(basename(path));
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process has just created it; a folder is accepted.
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function removeTemporary(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder and the file are gone; the earlier error is reported.
  }
}

/** Removes, at the first write into a folder, the temporary files of writes that were killed. */
function sweepOnce(folder: HeldFolder): void {
  if (swept.has(folder.path)) return;
  const [oldest] = swept;
  if (swept.size >= MAX_SWEPT && oldest !== undefined) swept.delete(oldest);
  swept.add(folder.path);
  try {
    for (const name of readdirSync(folder.entry(".")).filter((one) => TEMPORARY.test(one))) {
      const { mtimeMs, uid } = lstatSync(folder.entry(name));
      if (Date.now() - mtimeMs > LEFT_MS && uid === process.getuid?.()) removeTemporary(folder.entry(name));
    }
  } catch {
    // The folder can't be listed, or another process has just removed the file.
  }
}

/** @throws {ToolFailedError} the file is read-only (also refused for root, who could write it). */
export function refuseReadOnly(path: string, stamp: FileStamp | undefined): void {
  if (!stamp || (stamp.mode & 0o222) !== 0) return;
  const mode = (stamp.mode & 0o777).toString(8);
  throw new ToolFailedError(
    `${path} is read-only (mode ${mode}). If it is meant to be changed, make it writable first.`,
  );
}

async function writeTemporary(
  folder: HeldFolder,
  name: string,
  bytes: Uint8Array,
  old: FileStamp | undefined,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  await using handle = await open(folder.entry(name), flags, old ? 0o600 : 0o666);
  const made = await handle.stat();
  const seen = folder.stampOf(name);
  if (seen?.inode !== made.ino || seen.device !== made.dev) throw changedMeanwhile(folder.path);
  await handle.writeFile(bytes);
  if (old) {
    const isOwners = made.uid === old.owner && made.gid === old.group;
    const kept =
      isOwners ||
      (await handle.chown(old.owner, old.group).then(
        () => true,
        () => false,
      ));
    await handle.chmod(old.mode & (kept ? PERMISSION_BITS : WITHOUT_SET_ID));
  }
  await handle.sync();
}

/** A rename is durable only after a flush of the folder, which not every system supports. */
async function flushFolder(folder: HeldFolder): Promise<void> {
  try {
    const handle = await open(folder.entry("."), constants.O_RDONLY);
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file itself is flushed; only its name is not guaranteed.
  }
}

function changed(path: string, expected: FileStamp | undefined): ToolFailedError {
  const what = expected ? "was changed or removed by another program" : "was created by another program";
  return new ToolFailedError(`${path} ${what} just now. Nothing was written; read it again.`);
}
