import { constants, fstatSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { FileStamp } from "../../contracts/files.ts";
import { fileError } from "./file-error.ts";
import { stampOf } from "./file-stamp.ts";
import { changedMeanwhile, descriptorPath, HeldFolder } from "./held-folder.ts";

/** Special files that block, never end, or contain another process's secrets, and so are refused. */
const REFUSED = [
  /^\/proc\/(?:[^/]+\/)*(?:mem|environ|auxv|pagemap|kcore|kmsg|kpagecount|kpageflags|kpagecgroup|clear_refs)$/,
  /^\/proc\/sysrq-trigger$/,
  /^\/sys\/kernel\/(?:debug\/)?tracing\/(?:.*\/)?trace_pipe(?:_raw)?$/,
];

type OpenFile = { readonly handle: FileHandle; readonly stamp: FileStamp };

/**
 * Opens a regular file for reading, and nothing else: never follows a link, never waits for a FIFO. Opens the entry
 * of exactly the folder that was judged (see HeldFolder), even if its path is replaced in the meantime.
 * @param path Absolute and resolved; if the path now leads elsewhere through a link, the call fails.
 * @param byHandle As for `HeldFolder.hold`.
 * @returns the caller closes `handle`.
 * @throws {ToolFailedError} missing, a folder, a device, a FIFO, a socket, or changed since it was resolved.
 */
export async function openFile(path: string, byHandle?: boolean): Promise<OpenFile> {
  if (REFUSED.some((pattern) => pattern.test(path))) {
    throw new ToolFailedError(
      `${path} is not an ordinary file: reading it could hang or show another program's memory.`,
    );
  }
  const name = basename(path);
  if (name === "") throw new ToolFailedError(`${path} is a folder.`);
  try {
    using folder = HeldFolder.hold(dirname(path), byHandle);
    return await openEntry(folder, name, path);
  } catch (error) {
    throw fileError(error, path);
  }
}

async function openEntry(folder: HeldFolder, name: string, path: string): Promise<OpenFile> {
  // Check first, since opening a device may have side effects.
  const before = folder.stampOf(name);
  if (before) refuseSpecial(before, path);
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(folder.entry(name), flags);
  try {
    // The stamp of an open file is in the kernel's memory: handing the call to another thread would take longer than
    // the call.
    const stamp = stampOf(fstatSync(handle.fd));
    refuseSpecial(stamp, path);
    // Through an open folder, a file that was replaced in the meantime is as good as the judged one. A path may have
    // led to another file for a moment.
    const looks = folder.isByHandle ? [folder.stampOf(name)] : [before, folder.stampOf(name)];
    if (!looks.every((look) => look?.inode === stamp.inode && look.device === stamp.device))
      throw changedMeanwhile(path);
    return { handle, stamp };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function refuseSpecial(stamp: FileStamp, path: string): void {
  if (stamp.kind === "file") return;
  if (stamp.kind === "folder") throw new ToolFailedError(`${path} is a folder.`);
  if (stamp.kind === "link") throw changedMeanwhile(path);
  throw new ToolFailedError(`${path} is a device, a FIFO or a socket, not a file: it is never opened.`);
}

/** A file or folder that a child process reaches by `path`, whatever takes its place in the meantime. */
export type HeldForChild = { readonly path: string; close(): Promise<void> };

/**
 * Holds a judged file or folder for a child process. Only Linux has such paths; elsewhere the child gets the path itself.
 * @param path Absolute and resolved.
 * @throws {ToolFailedError} as `openFile` or `HeldFolder.hold`: it is missing, or was replaced since it was resolved.
 */
export async function holdForChild(path: string, kind: "file" | "folder"): Promise<HeldForChild> {
  if (process.platform !== "linux") return { path, close: async () => {} };
  if (kind === "file") {
    const { handle } = await openFile(path);
    return { path: descriptorPath(handle.fd), close: () => handle.close() };
  }
  const folder = HeldFolder.hold(path);
  return { path: folder.forChild, close: async () => folder.close() };
}
