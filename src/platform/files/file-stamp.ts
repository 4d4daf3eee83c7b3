import { lstatSync, type Stats } from "node:fs";
import { errorCode } from "../../contracts/errors.ts";
import type { FileStamp } from "../../contracts/files.ts";
import { fileError } from "./file-error.ts";

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

/** The current stamp of a path (links not followed), or undefined when it is missing. */
export async function readStamp(path: string): Promise<FileStamp | undefined> {
  try {
    return stampOf(lstatSync(path));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw fileError(error, path);
  }
}

/** True if both stamps describe the same file in the same state. */
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
