import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { ToolFailedError } from "../../contracts/errors.ts";
import { fileError } from "./file-error.ts";
import { type FileStamp, stampOf } from "./file-stamp.ts";

/** Files in name only: they hang, never end, or hold another process's secrets. */
const REFUSED = [
  /^\/proc\/(?:[^/]+\/)*(?:mem|environ|auxv|pagemap|kcore|kmsg|kpagecount|kpageflags|kpagecgroup|clear_refs)$/,
  /^\/proc\/sysrq-trigger$/,
  /^\/sys\/kernel\/(?:debug\/)?tracing\/(?:.*\/)?trace_pipe(?:_raw)?$/,
];

type OpenFile = { readonly handle: FileHandle; readonly stamp: FileStamp };

/**
 * Opens a regular file for reading, and nothing else: never follows a link, never waits for a FIFO.
 * @param path Absolute and resolved; when it no longer leads to itself (a link was put in its way) the call fails.
 * @returns the caller closes `handle`.
 * @throws {ToolFailedError} missing, a folder, a device, a FIFO, a socket, or changed since it was resolved.
 */
export async function openFile(path: string): Promise<OpenFile> {
  if (REFUSED.some((pattern) => pattern.test(path))) {
    throw new ToolFailedError(
      `${path} is not an ordinary file: reading it could hang or show another program's memory.`,
    );
  }
  try {
    refuseSpecial(stampOf(await lstat(path)), path);
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const handle = await open(path, flags);
    try {
      const stamp = stampOf(await handle.stat());
      refuseSpecial(stamp, path);
      await refuseMoved(stamp, path);
      return { handle, stamp };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw fileError(error, path);
  }
}

function refuseSpecial(stamp: FileStamp, path: string): void {
  if (stamp.kind === "file") return;
  if (stamp.kind === "folder") throw new ToolFailedError(`${path} is a folder.`);
  if (stamp.kind === "link") throw changed(path);
  throw new ToolFailedError(`${path} is a device, a FIFO or a socket, not a file: it is never opened.`);
}

/** What was opened must be what the path, free of links, leads to. */
async function refuseMoved(stamp: FileStamp, path: string): Promise<void> {
  if ((await realpath(path)) !== path) throw changed(path);
  const now = stampOf(await lstat(path));
  if (now.inode !== stamp.inode || now.device !== stamp.device) throw changed(path);
}

function changed(path: string): ToolFailedError {
  return new ToolFailedError(`${path} was replaced (by a link or another file) after it was checked. Try again.`);
}
