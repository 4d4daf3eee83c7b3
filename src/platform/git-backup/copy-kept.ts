import { constants, lutimesSync, mkdirSync, readlinkSync, symlinkSync, utimesSync } from "node:fs";
import { chmod, copyFile, lchown, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../../contracts/errors.ts";
import { openFile } from "../files/open-file.ts";
import type { KeptEntry } from "./walk-kept.ts";

/** So that whoever made a copy can always remove it. */
const OWNERS_BITS = 0o700;

/**
 * Copies one entry (of a folder only itself) with its times, mode and, where allowed, owner: as a reflink where the file system
 * can. A link is copied as a link, and none is followed: a file is read through the folder in which it was seen.
 * @param to Must not exist, but for a folder; missing folders above it are made.
 * @returns false when it is gone by now.
 * @throws {ToolFailedError} it was replaced meanwhile, or the system refused.
 */
export async function copyKept({ path, kind, mode, owner, group }: KeptEntry, to: string): Promise<boolean> {
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
  // Only root may give files to others; a copy of one's own is as good.
  await lchown(to, owner, group).catch(() => {});
  // A change of owner takes set-id bits away: the mode comes last.
  if (kind !== "link") await chmod(to, kind === "folder" ? mode | OWNERS_BITS : mode);
  return true;
}

async function copyContent(path: string, to: string): Promise<void> {
  const { handle } = await openFile(path);
  try {
    const opened = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path;
    await copyFile(opened, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } finally {
    await handle.close();
  }
}
