import {
  chmodSync,
  closeSync,
  fchmodSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { RewindResult, StoredChange, StoredEntry } from "../../../contracts/checkpoint.ts";
import { errorCode, errorMessage } from "../../../contracts/errors.ts";
import { byWord } from "../../../contracts/words.ts";
import { hasNoLinks } from "../../../platform/paths.ts";
import { PRIVATE_FILE_MODE, writeAll } from "../../../platform/private-file.ts";
import { isSameEntry } from "../checkpoint-record.ts";
import type { FileCopies } from "./file-copies.ts";
import type { ObjectStore } from "./object-store.ts";

export type Application = {
  /** The id of the rewind, part of the names of temporary files. */
  readonly id: string;
  readonly files: readonly StoredChange[];
  readonly objects: ObjectStore;
  readonly copies: FileCopies;
};

/** Files whose contents are in memory at the same time. */
const AT_ONCE = 50;

type Applied = Pick<RewindResult, "restored" | "deleted"> & { readonly left: RewindResult["kept"] };

type Batch = { readonly contents: ReadonlyMap<string, Buffer>; refuseLinks(path: string): void };

type Step = StoredChange & { readonly temporary: string };

/** A file stays as it is, for this reason. */
class StaysError extends Error {
  override name = "StaysError";
}

/**
 * Makes changes in the work tree: first everything that goes, then everything that comes. A file is replaced as a whole,
 * by a rename. A path that is neither as before nor as after the change stays as it is. The function can run again after
 * it was interrupted anywhere.
 */
export async function applyFiles(application: Application, signal: AbortSignal): Promise<Applied> {
  const { files, id } = application;
  const steps = [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((change, at) => ({ ...change, temporary: join(dirname(change.path), `.quoll-${id.slice(0, 8)}-${at}.tmp`) }));
  const left = new Map<string, string>();
  const run = async (step: Step, work: (step: Step) => Promise<void>) => {
    try {
      await work(step);
    } catch (error) {
      left.set(step.path, reasonOf(error));
    }
  };
  for (const step of [...steps].reverse().filter(goesFirst)) await run(step, (one) => remove(one, application, signal));
  const coming = steps.filter(({ path, after }) => after !== null && !left.has(path));
  for (let at = 0; at < coming.length; at += AT_ONCE) {
    const some = coming.slice(at, at + AT_ONCE);
    const reading = application.objects.readMany(some.flatMap(contentOf), signal);
    const contents = await reading.catch(() => new Map<string, Buffer>());
    const batch = { contents, refuseLinks: linkCheck() };
    for (const step of some) await run(step, (one) => bring(one, application, batch, signal));
  }
  const done = files.filter(({ path, before, after }) => !left.has(path) && !isFolderChange(before, after));
  return {
    restored: done.filter(({ after }) => after !== null).map(({ path }) => path),
    deleted: done.filter(({ after }) => after === null).map(({ path }) => path),
    left: [...left].map(([path, reason]) => ({ path, reason })),
  };
}

/** True if only a folder comes or goes, which nobody needs to read about. */
export function isFolderChange(before: StoredEntry | null, after: StoredEntry | null): boolean {
  return (before ?? after)?.kind === "folder" && (after ?? before)?.kind === "folder";
}

/** True if a path must be free before something else can be there. */
function goesFirst({ before, after }: StoredChange): boolean {
  if (before === null) return false;
  return after === null || (before.kind === "folder") !== (after.kind === "folder");
}

async function remove(step: Step, { copies }: Application, signal: AbortSignal): Promise<void> {
  const { path, before, after } = step;
  const now = await entryAt(copies, path, signal);
  if (now === null || isSameEntry(now, after)) return;
  if (!isSameEntry(now, before)) throw new StaysError("it changed meanwhile");
  refuseLinks(path);
  if (now.kind !== "folder") return unlinkSync(path);
  try {
    rmdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "ENOTEMPTY" && errorCode(error) !== "EEXIST") throw error;
    throw new StaysError("it is a folder with other files");
  }
}

function contentOf({ after }: StoredChange): readonly string[] {
  return after === null || after.kind === "folder" ? [] : [after.oid];
}

async function bring(step: Step, { copies }: Application, batch: Batch, signal: AbortSignal): Promise<void> {
  const { path, before, after, temporary } = step;
  if (after === null) return;
  const now = await entryAt(copies, path, signal);
  if (isSameEntry(now, after)) return rmSync(temporary, { force: true });
  // Null: `remove` has made room, or this runs again after an interruption.
  const isFree = now === null && goesFirst(step);
  if (!isFree && !isSameEntry(now, before)) throw new StaysError("it changed meanwhile");
  batch.refuseLinks(path);
  if (now === null) mkdirSync(dirname(path), { recursive: true });
  if (after.kind === "folder") {
    mkdirSync(path);
    return chmodSync(path, after.mode);
  }
  if (now?.kind === "file" && after.kind === "file" && now.oid === after.oid) return chmodSync(path, after.mode);
  const content = batch.contents.get(after.oid);
  if (!content) throw new StaysError("its content is missing in the store");
  const write = () => {
    if (after.kind === "link") symlinkSync(content, temporary);
    else writeFile(temporary, content, after.mode);
  };
  try {
    try {
      write();
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      // An interrupted rewind has left it.
      rmSync(temporary, { force: true });
      write();
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function entryAt(copies: FileCopies, path: string, signal: AbortSignal): Promise<StoredEntry | null> {
  signal.throwIfAborted();
  return copies.entryAt(path, signal);
}

/** Through a link the change would reach files elsewhere. */
function refuseLinks(path: string): void {
  if (!hasNoLinks(dirname(path))) throw new StaysError("its folder is a link now");
}

/** Looks at each folder once. */
function linkCheck(): (path: string) => void {
  const safe = new Set<string>();
  return (path) => {
    if (safe.has(dirname(path))) return;
    refuseLinks(path);
    safe.add(dirname(path));
  };
}

function writeFile(path: string, content: Uint8Array, mode: number): void {
  const fd = openSync(path, "wx", PRIVATE_FILE_MODE);
  try {
    writeAll(fd, content);
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}

const REASONS = byWord({
  "the disk is full": "ENOSPC EDQUOT",
  "its permissions don't allow it": "EACCES EPERM",
  "the file system is read-only": "EROFS",
  "a file is in the place of its folder": "ENOTDIR EEXIST",
});

function reasonOf(error: unknown): string {
  if (error instanceof StaysError) return error.message;
  const code = errorCode(error) ?? "";
  return REASONS[code] ?? `it could not be written (${code || errorMessage(error)})`;
}
