import { accessSync, constants, lstatSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import { NotKeepableError } from "./not-keepable.ts";

export type KeptEntry = {
  /** Absolute. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  /** Bytes; 0 for what is no file. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
};

type Walk = {
  /** Folders that are left out, with all in them. */
  readonly leaveOut: (path: string) => boolean;
  /** True when what files hold doesn't matter, so that they needn't be readable. */
  readonly onlyRights?: boolean;
  readonly signal: AbortSignal;
};

/**
 * Everything at a path, folders before what is in them. Links are named, never followed; sockets, FIFOs and devices hold
 * nothing and are left out. Nothing at the path gives nothing.
 * @throws {NotKeepableError} something may not be read, or has a name that is not UTF-8.
 */
export async function* walkKept(path: string, walk: Walk): AsyncGenerator<KeptEntry> {
  walk.signal.throwIfAborted();
  const entry = keptEntry(path, walk.onlyRights);
  if (!entry) return;
  yield entry;
  if (entry.kind !== "folder") return;
  for (const { name, isFolder } of await namesIn(path)) {
    const at = join(path, name);
    if (!isFolder || !walk.leaveOut(at)) yield* walkKept(at, walk);
  }
}

/** What stands at a path, if it can be kept. @throws {NotKeepableError} it may not be read. */
export function keptEntry(path: string, onlyRights = false): KeptEntry | undefined {
  const stats = lookAt(path);
  const kind = stats && kindOf(stats);
  if (!stats || !kind) return undefined;
  if (kind === "file" && !onlyRights) refuseUnreadable(path);
  const { mode, uid, gid } = stats;
  return { path, kind, size: kind === "file" ? stats.size : 0, mode: mode & 0o7777, owner: uid, group: gid };
}

/** A link is not followed. Undefined when nothing is there. @throws {NotKeepableError} the system refused. */
export function lookAt(path: string): Stats | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats && path.includes("\ufffd")) throw new NotKeepableError(`${path} has a name that is not UTF-8`);
    return stats;
  } catch (error) {
    if (error instanceof NotKeepableError) throw error;
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw new NotKeepableError(`${path} can't be looked at (${errorCode(error) ?? errorMessage(error)})`, {
      cause: error,
    });
  }
}

/** @throws {NotKeepableError} the file may not be read. */
function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new NotKeepableError(`${path} can't be read, so no copy can be kept`, { cause: error });
  }
}

function kindOf(stats: Stats): KeptEntry["kind"] | undefined {
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
    throw new NotKeepableError(`${path} can't be listed, so no copy can be kept`, { cause: error });
  }
}
