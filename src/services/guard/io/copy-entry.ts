import { constants, lutimesSync, mkdirSync, readlinkSync, symlinkSync, utimesSync } from "node:fs";
import { chmod, copyFile, lchown, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../../../contracts/errors.ts";
import { openFile } from "../../../platform/files/open-file.ts";
import type { BackupEntry } from "./backup-entry.ts";

/** Added permissions, so that the owner of a copy can always remove it. */
const OWNERS_BITS = 0o700;

/**
 * Copies one entry (a folder without its content) with its times, mode and, where allowed, owner; uses a reflink where
 * the file system supports it. Links are copied as links and never followed: a file is read through the folder in which
 * it was found.
 * @param to Must not exist, unless it is a folder; missing parents are created.
 * @returns false if the entry no longer exists.
 * @throws {ToolFailedError} the entry was replaced in the meantime, or the system refused.
 */
export async function copyEntry({ path, kind, mode, owner, group }: BackupEntry, to: string): Promise<boolean> {
  try {
    if (kind === "folder") {
      mkdirSync(to, { recursive: true, mode: OWNERS_BITS });
    } else {
      mkdirSync(dirname(to), { recursive: true, mode: OWNERS_BITS });
      if (kind === "link") symlinkSync(readlinkSync(path), to);
      else await copyContent(path, to);
      const { atime, mtime } = await lstat(path);
      if (kind === "link") lutimesSync(to, atime, mtime);
      else utimesSync(to, atime, mtime);
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error instanceof Error ? error.cause : undefined) === "ENOENT") {
      return false;
    }
    throw error;
  }
  // Only root may change owners; it is acceptable that this user owns a copy.
  await lchown(to, owner, group).catch(() => {});
  // A change of owner clears set-id bits, so the mode is set last.
  if (kind !== "link") await chmod(to, kind === "folder" ? mode | OWNERS_BITS : mode);
  return true;
}

async function copyContent(path: string, to: string): Promise<void> {
  const { handle } = await openFile(path);
  await using _handle = handle;
  const opened = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path;
  await copyFile(opened, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
}
