import { accessSync, constants, lstatSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, errorMessage } from "../../../contracts/errors.ts";
import { CannotBackUpError } from "./cannot-back-up.ts";

export type BackupEntry = {
  /** Absolute. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  /** Bytes; 0 for entries other than files. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
};

type Walk = {
  /** Folders to skip with their content. */
  readonly leaveOut: (path: string) => boolean;
  /** True if file contents don't matter, so that files need not be readable. */
  readonly onlyRights?: boolean;
  readonly signal: AbortSignal;
};

/**
 * All entries at a path, folders before their content. Links are listed, but never followed; sockets, FIFOs and devices
 * are omitted. A missing path yields nothing.
 * @throws {CannotBackUpError} an entry is not readable, or its name is not UTF-8.
 */
export async function* walkKept(path: string, walk: Walk): AsyncGenerator<BackupEntry> {
  walk.signal.throwIfAborted();
  const entry = backupEntry(path, walk.onlyRights);
  if (!entry) return;
  yield entry;
  if (entry.kind !== "folder") return;
  for (const { name, isFolder } of await namesIn(path)) {
    const at = join(path, name);
    if (!isFolder || !walk.leaveOut(at)) yield* walkKept(at, walk);
  }
}

/**
 * The entry at a path; undefined if an entry of this kind can't be backed up.
 * @throws {CannotBackUpError} the entry is not readable.
 */
export function backupEntry(path: string, onlyRights = false): BackupEntry | undefined {
  const stats = lookAt(path);
  const kind = stats && kindOf(stats);
  if (!stats || !kind) return undefined;
  if (kind === "file" && !onlyRights) refuseUnreadable(path);
  const { mode, uid, gid } = stats;
  return { path, kind, size: kind === "file" ? stats.size : 0, mode: mode & 0o7777, owner: uid, group: gid };
}

/**
 * Does not follow links. The result is undefined if the path is missing.
 * @throws {CannotBackUpError} the system refused.
 */
export function lookAt(path: string): Stats | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats && path.includes("\ufffd")) throw new CannotBackUpError(`${path} has a name that is not UTF-8`);
    return stats;
  } catch (error) {
    if (error instanceof CannotBackUpError) throw error;
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw new CannotBackUpError(`${path} can't be examined (${errorCode(error) ?? errorMessage(error)})`, {
      cause: error,
    });
  }
}

/** @throws {CannotBackUpError} the file is not readable. */
function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new CannotBackUpError(`${path} can't be read`, { cause: error });
  }
}

function kindOf(stats: Stats): BackupEntry["kind"] | undefined {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : undefined;
}

async function namesIn(path: string): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
    throw new CannotBackUpError(`${path} can't be listed`, { cause: error });
  }
}
