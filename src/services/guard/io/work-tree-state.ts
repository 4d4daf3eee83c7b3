import { join } from "node:path";
import type { BackupBudget } from "./backup-budget.ts";
import { backupEntry, lookAt } from "./backup-entry.ts";
import { compareWithIndex, GITLINK_MODE, isUnder, listFiles, pathArguments } from "./index-entries.ts";
import { type Git, recordsOf } from "./run-git.ts";

/** A file to back up in a commit. Names are relative to the top of the work tree. */
export type ChangedFile = { readonly path: string; readonly mode: "100644" | "100755" | "120000" };

/** The state of a work tree or of a part of it. */
export type WorkTreeState = {
  /** Existing files of the index, changed or not. */
  readonly tracked: readonly string[];
  /** Files that differ or may differ from the index, and untracked files. */
  readonly files: readonly ChangedFile[];
  /** Files of the index that are missing in the work tree. */
  readonly deleted: readonly string[];
  /** Ignored files, and ignored folders as a whole. */
  readonly ignored: readonly string[];
  /** Nested repositories that are not in the index. */
  readonly nested: readonly string[];
  /** Nested repositories that are in the index. */
  readonly submodules: readonly string[];
};

type Look = {
  /** Names relative to the top; empty means everything. */
  readonly under: readonly string[];
  /** Selects untracked files to skip, by name. */
  readonly leaveOut: (path: string) => boolean;
  readonly budget: BackupBudget;
  readonly signal: AbortSignal;
};

/**
 * Reads the state of a work tree without changing it.
 * @throws {CannotBackUpError} the backup would be too large, or a file is not readable.
 */
export async function workTreeState(git: Git, look: Look): Promise<WorkTreeState> {
  const { under, signal } = look;
  const { entries, untracked: others } = await listFiles(git, under, signal);
  const { changed, deleted, present } = await compareWithIndex(git, entries);
  const listed = new Set([...present, ...others]);
  // Nothing is ignored below a file.
  const hasFolders = under.length === 0 || under.some((name) => !listed.has(name));
  const ignored = hasFolders ? await ignoredNames(git, under, signal) : [];
  // A folder among the untracked files is a nested repository.
  const isNested = (name: string) => name.endsWith("/");
  const untracked = others.filter((name) => !isNested(name) && isUnder(name, under) && !look.leaveOut(name));
  return {
    tracked: present,
    files: [...changed, ...untracked].flatMap((path) => changedFile(git, path, look.budget)),
    deleted,
    ignored: withinAsked(ignored.map(withoutSlash), under),
    nested: withinAsked(others.filter(isNested).map(withoutSlash), under),
    submodules: entries
      .filter(({ mode, path }) => mode === GITLINK_MODE && isFolder(join(git.repository.top, path)))
      .map(({ path }) => path),
  };
}

async function ignoredNames(git: Git, under: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const flags = ["-z", "--others", "--ignored", "--directory", "--exclude-standard"];
  return recordsOf(await git.run({ args: ["ls-files", ...flags, ...pathArguments(under)], signal }));
}

function changedFile(git: Git, path: string, budget: BackupBudget): readonly ChangedFile[] {
  const entry = backupEntry(join(git.repository.top, path));
  if (!entry || entry.kind === "folder") return [];
  budget.add(entry.size);
  return [{ path, mode: entry.kind === "link" ? "120000" : (entry.mode & 0o100) !== 0 ? "100755" : "100644" }];
}

/** Git reports the whole ignored folder for any part of it; duplicates are removed. */
function withinAsked(names: readonly string[], under: readonly string[]): readonly string[] {
  const parts = names.flatMap((name) => {
    if (isUnder(name, under)) return [name];
    return under.filter((asked) => isUnder(asked, [name]));
  });
  const all = new Set(parts);
  return [...all].filter((name) => !foldersAbove(name).some((folder) => all.has(folder)));
}

/** `a/b/c`: `a` and `a/b`. */
function foldersAbove(name: string): readonly string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() ?? false;
}

function withoutSlash(name: string): string {
  return name.replace(/\/$/, "");
}
