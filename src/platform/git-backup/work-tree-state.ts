import { join } from "node:path";
import { compareWithIndex, GITLINK_MODE, indexEntries, isUnder, pathArguments } from "./index-entries.ts";
import type { KeepBudget } from "./keep-budget.ts";
import type { Git } from "./run-git.ts";
import { keptEntry, lookAt } from "./walk-kept.ts";

/** A file whose content is to be kept in a commit. Names are relative to the top of the work tree. */
export type ChangedFile = { readonly path: string; readonly mode: "100644" | "100755" | "120000" };

/** What stands in (a part of) a work tree. */
export type WorkTreeState = {
  /** Files of the index that are there, changed or not. */
  readonly tracked: readonly string[];
  /** What differs, or may differ, from the index, and what git doesn't track yet. */
  readonly files: readonly ChangedFile[];
  /** What the index has and the work tree has not. */
  readonly deleted: readonly string[];
  /** What git ignores: files, and folders as a whole. */
  readonly ignored: readonly string[];
  /** Repositories inside of this one that it knows nothing of. */
  readonly nested: readonly string[];
  /** Repositories inside of this one that are in its index. */
  readonly submodules: readonly string[];
};

type Look = {
  /** Names relative to the top; empty means everything. */
  readonly under: readonly string[];
  /** Untracked files that are left out, by name. */
  readonly leaveOut: (path: string) => boolean;
  readonly budget: KeepBudget;
  readonly signal: AbortSignal;
};

/**
 * Looks at a work tree without touching it.
 * @throws {NotKeepableError} what would have to be kept is too much, or may not be read.
 */
export async function workTreeState(git: Git, look: Look): Promise<WorkTreeState> {
  const { under, signal } = look;
  const list = async (...flags: readonly string[]) => {
    const args = ["ls-files", "-z", "--others", ...flags, "--exclude-standard", ...pathArguments(under)];
    return (await git.run({ args, signal }))
      .toString("utf8")
      .split("\0")
      .filter((name) => name !== "");
  };
  const [entries, others, ignored] = await Promise.all([
    indexEntries(git, under, signal),
    list(),
    list("--ignored", "--directory"),
  ]);
  const { changed, deleted, present } = await compareWithIndex(git, entries);
  // A folder among the untracked files is a repository of its own.
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

function changedFile(git: Git, path: string, budget: KeepBudget): readonly ChangedFile[] {
  const entry = keptEntry(join(git.repository.top, path));
  if (!entry || entry.kind === "folder") return [];
  budget.add(entry.size);
  return [{ path, mode: entry.kind === "link" ? "120000" : (entry.mode & 0o100) !== 0 ? "100755" : "100644" }];
}

/** git names the whole ignored folder, whatever part of it was asked for; none is named twice. */
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
