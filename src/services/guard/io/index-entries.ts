import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import { CannotBackUpError } from "./cannot-back-up.ts";
import type { Git } from "./run-git.ts";

/** One name in the index. */
export type IndexEntry = {
  /** Relative to the top of the work tree. */
  readonly path: string;
  /** The mode in git's form: `100644`, `100755`, `120000` (a link), `160000` (a submodule). */
  readonly mode: string;
  /** True in an open conflict: only the work tree contains the file's content. */
  readonly isUnmerged: boolean;
  /** The file stats in the index; undefined when unknown. */
  readonly seen: SeenFile | undefined;
};

/** The mode of a submodule. */
export const GITLINK_MODE = "160000";

/** Times in nanoseconds; device and inode are not compared, since git cuts them. */
type SeenFile = { readonly modified: bigint; readonly changed: bigint; readonly size: number };

/** Matches the first line of an entry; the stats of the previous file precede it and never match. */
const ENTRY = /(?:^|\n)[A-Z] (\d{6}) [0-9a-f]{40,64} ([0-3])\t([\s\S]+)$/;
/** The tag of an untracked file (git-ls-files(1), -t). */
const UNTRACKED = "? ";
const DEBUG =
  /^ {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: \d+\n {2}uid: \d+\tgid: \d+\n {2}size: (\d+)\tflags: [0-9a-f]+\n/;
const NANOSECONDS = 1_000_000_000n;
/** The maximum number of names passed to git as arguments; for more names, everything is listed and filtered. */
const MAX_ARGUMENTS = 200;
/** Files examined before the event loop runs other work. */
const AT_ONCE = 1_000;

/** `untracked`: names that the index does not have and git does not ignore; that of a nested repository ends with a slash. */
export type ListedFiles = { readonly entries: readonly IndexEntry[]; readonly untracked: readonly string[] };

/**
 * The index entries with their file stats. Content is neither read nor compared, so no filter runs.
 * @param under Names relative to the top; empty means everything.
 */
export async function indexEntries(
  git: Git,
  under: readonly string[],
  signal: AbortSignal,
): Promise<readonly IndexEntry[]> {
  return (await list(git, ["--cached"], under, signal)).entries;
}

/** The index entries, and the untracked files. */
export function listFiles(git: Git, under: readonly string[], signal: AbortSignal): Promise<ListedFiles> {
  return list(git, ["--cached", "--others", "--exclude-standard"], under, signal);
}

async function list(git: Git, which: readonly string[], under: readonly string[], signal: AbortSignal) {
  const args = ["ls-files", "-z", "-t", "--stage", "--debug", ...which, ...pathArguments(under)];
  const { entries, untracked } = parseFiles((await git.run({ args, signal })).toString("utf8"));
  return { entries: entries.filter(({ path }) => isUnder(path, under)), untracked };
}

/** Names as arguments of `git ls-files`. */
export function pathArguments(under: readonly string[]): readonly string[] {
  return under.length === 0 || under.length > MAX_ARGUMENTS ? [] : ["--", ...under];
}

/** True if a name equals one of these names or is below one of them. */
export function isUnder(path: string, under: readonly string[]): boolean {
  return under.length === 0 || under.some((name) => path === name || path.startsWith(`${name}/`));
}

/**
 * Parses the output of `git ls-files -z -t --stage --debug`: the untracked files come first; a file's stats follow the NUL
 * after its name. A file with stats in an unknown format counts as changed.
 * @throws {ToolFailedError} the output has another format: a skipped entry would be a file without a backup.
 */
export function parseFiles(text: string): ListedFiles {
  const entries = new Map<string, IndexEntry>();
  const parts = text.split("\0");
  let at = 0;
  while (parts[at]?.startsWith(UNTRACKED)) at += 1;
  const untracked = parts.slice(0, at).map((part) => part.slice(UNTRACKED.length));
  for (; at + 1 < parts.length; at += 1) {
    const match = ENTRY.exec(parts[at] ?? "");
    if (!match) throw new ToolFailedError("git lists its index in an unknown format.");
    const [, mode = "", stage = "", path = ""] = match;
    entries.set(path, { path, mode, isUnmerged: stage !== "0", seen: seenFile(parts[at + 1] ?? "") });
  }
  return { entries: [...entries.values()], untracked };
}

function seenFile(text: string): SeenFile | undefined {
  const match = DEBUG.exec(text);
  if (!match) return undefined;
  const [, cs = "0", cn = "0", ms = "0", mn = "0", size = "0"] = match;
  return {
    modified: BigInt(ms) * NANOSECONDS + BigInt(mn),
    changed: BigInt(cs) * NANOSECONDS + BigInt(cn),
    size: Number(size),
  };
}

export type IndexState = {
  /** Existing files whose content may differ from the index. */
  readonly changed: readonly string[];
  /** Names whose file is gone. */
  readonly deleted: readonly string[];
  /** Existing files, changed or not. */
  readonly present: readonly string[];
};

/**
 * Compares the work tree with the index by times and sizes; a file with inconclusive times counts as changed.
 * Submodules are separate repositories and are left out.
 * @throws {CannotBackUpError} a name is not UTF-8.
 */
export async function compareWithIndex(git: Git, entries: readonly IndexEntry[]): Promise<IndexState> {
  const { top, gitFolder } = git.repository;
  const indexTime = statSync(join(gitFolder, "index"), { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
  const changed: string[] = [];
  const deleted: string[] = [];
  const present: string[] = [];
  for (const [at, entry] of entries.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
    if (entry.mode === GITLINK_MODE) continue;
    const now = stat(join(top, entry.path));
    if (!now && entry.path.includes("\ufffd"))
      throw new CannotBackUpError(`${entry.path} has a name that is not UTF-8`);
    if (!now || now.isDirectory()) deleted.push(entry.path);
    else {
      present.push(entry.path);
      if (entry.isUnmerged || !isAsSeen(now, entry, indexTime)) changed.push(entry.path);
    }
  }
  return { changed, deleted, present };
}

type Now = NonNullable<ReturnType<typeof stat>>;

function isAsSeen(now: Now, { seen, mode }: IndexEntry, indexTime: bigint): boolean {
  if (!seen || seen.size !== Number(now.size % 2n ** 32n)) return false;
  if (!isSameTime(seen.modified, now.mtimeNs)) return false;
  // Programs other than git may omit the change time.
  if (seen.changed !== 0n && !isSameTime(seen.changed, now.ctimeNs)) return false;
  // A file changed at the moment of the index write looks unchanged (racy-git(7)).
  const isCoarse = seen.modified % NANOSECONDS === 0n;
  if (now.mtimeNs >= (isCoarse ? (indexTime / NANOSECONDS) * NANOSECONDS : indexTime)) return false;
  const isLink = now.isSymbolicLink();
  if (isLink !== (mode === "120000")) return false;
  return isLink || ((now.mode & 0o100n) !== 0n) === (mode === "100755");
}

/** Some builds of git store whole seconds only. */
function isSameTime(seen: bigint, now: bigint): boolean {
  return seen === now || (seen % NANOSECONDS === 0n && seen / NANOSECONDS === now / NANOSECONDS);
}

function stat(path: string) {
  // A parent of this path is now a file.
  return orUndefined(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
}
