import { randomBytes } from "node:crypto";
import { constants, lstatSync, realpathSync, renameSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import { fileError } from "./file-error.ts";
import { type FileStamp, isSameState, readStampNow, stampOf } from "./file-stamp.ts";

const PERMISSION_BITS = 0o7777;
const WITHOUT_SET_ID = 0o1777;

type WriteRequest = {
  /** Absolute and resolved: a link here would be replaced, so it is refused. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The state that the file must still be in; undefined: it must not exist. */
  readonly expected: FileStamp | undefined;
  readonly signal: AbortSignal;
};

/**
 * Writes a file whole or not at all: a temporary file beside it, flushed to the disk, then renamed over it. Folders are made,
 * mode and (where allowed) owner are kept. Between the last look at the file and the rename nobody else gets a turn.
 * @returns the stamp of the file as written.
 * @throws {ToolFailedError} the file or its folder is not in the expected state, or the system refused.
 */
export async function writeFile({ path, bytes, expected, signal }: WriteRequest): Promise<FileStamp> {
  refuseReadOnly(path, expected);
  const folder = dirname(path);
  const temporary = join(folder, `.quoll-${randomBytes(8).toString("hex")}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    refuseMovedFolder(folder);
    await writeTemporary(temporary, bytes, expected);
    signal.throwIfAborted();
    refuseMovedFolder(folder);
    if (!isSameState(readStampNow(path), expected)) throw changed(path, expected);
    renameSync(temporary, path);
    const stamp = stampOf(lstatSync(path));
    await flushFolder(folder);
    return stamp;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    if (signal.aborted) throw error;
    throw fileError(error, path);
  }
}

/** @throws {ToolFailedError} nobody may write to the file (also said to root, who could). */
export function refuseReadOnly(path: string, stamp: FileStamp | undefined): void {
  if (!stamp || (stamp.mode & 0o222) !== 0) return;
  const mode = (stamp.mode & 0o777).toString(8);
  throw new ToolFailedError(
    `${path} is read-only (mode ${mode}). If it is meant to be changed, make it writable first.`,
  );
}

async function writeTemporary(temporary: string, bytes: Uint8Array, old: FileStamp | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(temporary, flags, old ? 0o600 : 0o666);
  try {
    await handle.writeFile(bytes);
    if (old) {
      const made = await handle.stat();
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
  } finally {
    await handle.close();
  }
}

/** A link put in place of a folder would send the write elsewhere. */
function refuseMovedFolder(folder: string): void {
  if (realpathSync(folder) !== folder) {
    throw new ToolFailedError(`${folder} was replaced by a link after it was checked. Nothing was written; try again.`);
  }
}

/** A rename is only lasting once its folder is; not every system can flush one. */
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, constants.O_RDONLY);
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file itself is flushed: nothing is lost but the certainty about its name.
  }
}

function changed(path: string, expected: FileStamp | undefined): ToolFailedError {
  const what = expected ? "was changed or removed by something else" : "was made by something else";
  return new ToolFailedError(`${path} ${what} just now. Nothing was written; read it again.`);
}
