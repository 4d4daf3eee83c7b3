import { constants, cpSync, existsSync, lstatSync, mkdirSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { copyFile, lstat, mkdir, mkdtemp, readlink, rm, symlink, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { errorCode } from "../../contracts/errors.ts";
import { namedFew } from "../../contracts/words.ts";
import { kindAt } from "../files/kind-at.ts";
import { walkFiles } from "../files/walk-files.ts";
import { indexNames } from "../git/index-names.ts";
import { isInside, realPathOrSelf } from "../paths.ts";
import { readFirstLine, readSmallFile } from "../read-small-file.ts";

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
    ...(leftOut.length > 0 ? [`files created since the session began: ${namedFew(leftOut, MAX_NAMED)}`] : []),
    ...(unread.length > 0 ? [`unreadable files: ${namedFew(unread, MAX_NAMED)}`] : []),
    ...copyRepository(root, copy),
  ];
  // The deepest first, because a change in a folder sets the folder's time.
  for (const name of [...folders].sort().reverse()) await keepTimes(join(root, name), join(copy, name));
  await keepTimes(root, copy);
  return notes;
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

const MAX_CONFIG_BYTES = 1024 * 1024;
/** Files of this work tree alone, and of the repository (gitrepository-layout(5)). */
const OWN_PARTS = ["HEAD", "index", "ORIG_HEAD"];
const COMMON_PARTS = ["refs", "packed-refs", "logs", "shallow", "info"];
/**
 * No remote, hook, alias or program, so that a command in the copy can publish nothing and starts no program of the
 * project's settings.
 */
const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";

/**
 * Gives the copy of a work tree its git folder: index and refs are copied, objects are read from the original. The copy
 * has no remotes and no other configuration.
 * @returns the missing parts, one line each.
 */
function copyRepository(root: string, copy: string): readonly string[] {
  const own = gitFolderOf(root);
  if (own === undefined) return [];
  const common = resolve(own, readFirstLine(join(own, "commondir")) ?? ".");
  const config = readSmallFile(join(common, "config"), MAX_CONFIG_BYTES);
  if (config === undefined || /^\s*\[\s*extensions\b/im.test(config))
    return ["git's history (it is backed up in its own format)"];
  const target = join(copy, ".git");
  mkdirSync(join(target, "objects", "info"), { recursive: true });
  mkdirSync(join(target, "refs"), { recursive: true });
  for (const [folder, names] of [
    [common, COMMON_PARTS],
    [own, OWN_PARTS],
  ] as const) {
    for (const name of names) {
      // A link into another repository would let the copy write there.
      const from = realPathOrSelf(join(folder, name));
      const to = join(target, name);
      if (existsSync(from)) cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: isOrdinary });
    }
  }
  writeFileSync(join(target, "config"), CONFIG);
  writeFileSync(join(target, "objects", "info", "alternates"), `${quoted(join(common, "objects"))}\n`);
  return ["remotes, hooks and configuration of the repository"];
}

/** Other files among the refs are not copied. */
function isOrdinary(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isFile() || stats.isDirectory());
}

/** The git folder of a work tree; undefined if there is none. */
function gitFolderOf(root: string): string | undefined {
  const at = join(root, ".git");
  if (kindAt(at) === "folder") return at;
  const target = /^gitdir: (.+)$/.exec(readFirstLine(at) ?? "")?.[1];
  return target === undefined ? undefined : resolve(root, target);
}

/** The form in which git reads a line of `objects/info/alternates` that begins with a quote. */
function quoted(path: string): string {
  return /["\n\\]/.test(path) ? JSON.stringify(path) : path;
}

/**
 * Restores the earlier content of a file in a scratch copy.
 * @param text Null when the file did not exist.
 * @throws {Error} the path is outside the copy, or the system refused.
 */
export function placeFile(root: string, name: string, text: string | null): void {
  const path = join(root, name);
  if (!isInside(root, realPathOrSelf(path)) || path === root) throw new Error(`${name} is outside the project`);
  rmSync(path, { recursive: true, force: true });
  if (text === null) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
