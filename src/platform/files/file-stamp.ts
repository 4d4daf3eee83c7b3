import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { errorCode } from "../../contracts/errors.ts";
import { fileError } from "./file-error.ts";

/** What tells one state of a file from another without reading it. */
export type FileStamp = {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly device: number;
  readonly inode: number;
  /** Milliseconds since the epoch, with fractions where the file system has them. */
  readonly modifiedMs: number;
  readonly changedMs: number;
  /** Bytes. */
  readonly size: number;
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
};

export function stampOf(stats: Stats): FileStamp {
  return {
    kind: stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other",
    device: stats.dev,
    inode: stats.ino,
    modifiedMs: stats.mtimeMs,
    changedMs: stats.ctimeMs,
    size: stats.size,
    mode: stats.mode,
    owner: stats.uid,
    group: stats.gid,
  };
}

/** The stamp of what stands at a path now (a link is not followed), or undefined when nothing does. */
export async function readStamp(path: string): Promise<FileStamp | undefined> {
  try {
    return stampOf(await lstat(path));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw fileError(error, path);
  }
}

/** Whether both stamps are of one file in one state. */
export function isSameState(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  if (!a || !b) return a === b;
  return (
    a.device === b.device &&
    a.inode === b.inode &&
    a.modifiedMs === b.modifiedMs &&
    a.changedMs === b.changedMs &&
    a.size === b.size
  );
}
