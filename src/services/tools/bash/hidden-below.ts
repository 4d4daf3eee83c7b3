import { join } from "node:path";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { type FolderEntry, listFolder } from "../../../platform/files/list-folder.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";

/** The remaining number of names to examine; below 0 the result is incomplete. */
export type SearchBudget = { left: number };

export type SearchBelow = {
  /** True if a file's text may not be shown without asking. */
  isHidden(path: string): boolean;
  readonly budget: SearchBudget;
  /** True if a path is in the workspace. A link out of the workspace is named, but not followed. */
  contains(path: string): boolean;
  /** Folder names to skip, besides git's own store, which contains objects and no project files. */
  readonly leftOut?: ReadonlySet<string>;
};

/**
 * The entries below a folder that need their own judgement: hidden files, and targets of links, which may be anywhere. Links
 * to folders of the workspace are followed, because some programs follow them.
 * @param folder Absolute, links resolved.
 * @returns absolute paths, links resolved; complete only while the budget is not used up.
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

/** Records one entry. @returns the folder to continue with, if the entry is a folder. */
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
