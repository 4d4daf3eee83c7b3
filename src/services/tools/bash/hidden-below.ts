import { join } from "node:path";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { type FolderEntry, listFolder } from "../../../platform/files/list-folder.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";

/** How many names may still be looked at; below 0 nobody can say what there is. */
export type SearchBudget = { left: number };

export type SearchBelow = {
  /** Whether a file's text may not be shown unasked. */
  isHidden(path: string): boolean;
  readonly budget: SearchBudget;
  /** Whether a path lies in the workspace. A link out of it is named, and not followed. */
  contains(path: string): boolean;
  /** Names of folders that are left out, beside git's own store, which holds objects and no files of the project. */
  readonly leftOut?: ReadonlySet<string>;
};

/**
 * What lies below a folder and must be judged by itself: hidden files, and what a link leads to, which may lie anywhere. A link
 * to a folder of the workspace is followed: some programs do, and for the others it is judged all the same.
 * @param folder Absolute, links resolved.
 * @returns absolute paths, links resolved; all there are only while the budget isn't spent.
 */
export async function hiddenBelow(folder: string, search: SearchBelow): Promise<readonly string[]> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined && search.budget.left >= 0; at = waiting.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    for (const entry of await entriesOf(at, search.budget)) waiting.push(...look(at, entry, search, found));
  }
  return [...found];
}

/** Notes one entry. @returns the folder to go on with, if it is one. */
function look(
  folder: string,
  { name, kind }: FolderEntry,
  { isHidden, contains, leftOut }: SearchBelow,
  found: Set<string>,
): readonly string[] {
  const path = join(folder, name);
  const isLeftOut = name === ".git" || leftOut?.has(name) === true;
  if (kind === "link") {
    const real = realPathOrSelf(path);
    if (real !== path || isHidden(path)) found.add(real);
    return !isLeftOut && contains(real) && kindAt(real) === "folder" ? [real] : [];
  }
  if (kind === "folder" && isLeftOut) return [];
  if (kind !== "other" && isHidden(path)) found.add(path);
  return kind === "folder" ? [path] : [];
}

export async function entriesOf(folder: string, budget: SearchBudget): Promise<readonly FolderEntry[]> {
  if (budget.left < 0) return [];
  const entries = await listFolder(folder).catch(() => []);
  budget.left -= entries.length;
  return entries;
}
