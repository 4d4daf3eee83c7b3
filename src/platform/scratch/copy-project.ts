import { constants, type Stats } from "node:fs";
import { copyFile, lstat, mkdir, mkdtemp, readlink, rm, symlink, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { errorCode } from "../../contracts/errors.ts";
import { walkFiles } from "../files/walk-files.ts";
import { indexNames } from "../git/index-names.ts";
import { isInside, realPathOrSelf } from "../paths.ts";
import { copyRepository, gitFolderOf } from "./copy-repository.ts";

const MAX_FILES = 100_000;
const MAX_NAMED = 5;
const MAX_BYTES = 2 * 1024 * 1024 * 1024;

/** A copy of a project in a temporary folder. */
export type ScratchCopy = {
  /** The copy of the project's root: absolute, symlinks resolved. */
  readonly root: string;
  /** Parts missing from the copy, one line each. */
  readonly notes: readonly string[];
  /** Removes the copy. */
  remove(): Promise<void>;
};

export type CopyRequest = {
  /** Absolute; undefined: an empty folder. */
  readonly root: string | undefined;
  /** Files that git does not track and that were created since then are left out. */
  readonly since?: {
    /** Milliseconds since the epoch. */
    readonly ms: number;
    /** Files that existed before, regardless of their time: relative paths. */
    readonly known: ReadonlySet<string>;
  };
  readonly signal: AbortSignal;
};

/**
 * Copies a project for experiments: the files that git does not ignore, with their times, and git's history. Does not
 * write to the project and does not start git.
 * @throws {Error} the project is too large, the system refused, or the abort reason; nothing is left behind.
 */
export async function copyProject(request: CopyRequest): Promise<ScratchCopy> {
  const { root } = request;
  const folder = realPathOrSelf(await mkdtemp(join(tmpdir(), "quoll-replay-")));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, (root && basename(root)) || "project");
    await mkdir(copy, { mode: 0o700 });
    const notes = root === undefined ? [] : await fill(root, copy, request);
    return { root: copy, notes, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function fill(root: string, copy: string, { since, signal }: CopyRequest): Promise<readonly string[]> {
  const tracked = indexNames(gitFolderOf(root) ?? join(root, ".git"));
  const old = new Set((tracked ?? []).map(({ path }) => path));
  const names = new Set(old);
  for await (const name of walkFiles(root, { signal })) {
    names.add(name);
    if (names.size > MAX_FILES) throw new Error(`it has more than ${MAX_FILES} files`);
  }
  const leftOut: string[] = [];
  const unread: string[] = [];
  let left = MAX_BYTES;
  const folders = new Set<string>();
  for (const name of [...names].sort()) {
    signal.throwIfAborted();
    const stats = await lstat(join(root, name)).catch(() => undefined);
    if (!stats) continue;
    if (since && stats.birthtimeMs > since.ms && !old.has(name) && !since.known.has(name)) {
      leftOut.push(name);
      continue;
    }
    left -= stats.isFile() ? stats.size : 0;
    if (left < 0) throw new Error(`it has more than ${MAX_BYTES / 1024 / 1024 / 1024} GiB of files`);
    if (!(await copyEntry({ root, copy, name, stats }))) unread.push(name);
    for (let at = dirname(name); at !== "." && !folders.has(at); at = dirname(at)) folders.add(at);
  }
  const notes = [
    ...(tracked ? [] : ["files that git tracks although they are ignored"]),
    ...(leftOut.length > 0 ? [`files created since the session began: ${few(leftOut)}`] : []),
    ...(unread.length > 0 ? [`unreadable files: ${few(unread)}`] : []),
    ...copyRepository(root, copy),
  ];
  // The deepest first, because a change in a folder sets the folder's time.
  for (const name of [...folders].sort().reverse()) await keepTimes(join(root, name), join(copy, name));
  await keepTimes(root, copy);
  return notes;
}

function few(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `${names.slice(0, MAX_NAMED).join(", ")}${more}`;
}

type Entry = { readonly root: string; readonly copy: string; readonly name: string; readonly stats: Stats };

/** @returns false if it can't be read. */
async function copyEntry({ root, copy, name, stats }: Entry): Promise<boolean> {
  const [from, to] = [join(root, name), join(copy, name)];
  // A name that leads through a link would be written elsewhere.
  if (realPathOrSelf(dirname(from)) !== dirname(from)) return true;
  if (!stats.isFile() && !stats.isSymbolicLink()) return true;
  await mkdir(dirname(to), { recursive: true });
  if (stats.isSymbolicLink()) {
    await symlink(linkTarget(await readlink(from), root, copy), to);
    return true;
  }
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    // A file that disappears while the project is copied counts as missing from the start.
    if (errorCode(error) === "ENOENT") return true;
    if (!/^(?:EACCES|EPERM)$/.test(errorCode(error) ?? "")) throw error;
    return false;
  }
  await utimes(to, stats.atime, stats.mtime);
  return true;
}

/** A link into the project is changed so that it leads into the copy. */
function linkTarget(target: string, root: string, copy: string): string {
  return isAbsolute(target) && isInside(root, target) ? join(copy, relative(root, target)) : target;
}

async function keepTimes(from: string, to: string): Promise<void> {
  const stats = await lstat(from).catch(() => undefined);
  if (stats) await utimes(to, stats.atime, stats.mtime).catch(() => undefined);
}
