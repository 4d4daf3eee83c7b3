import { basename, dirname, join } from "node:path";
import type { WorktreeSettings } from "../../contracts/settings.ts";
import type { Directories } from "../../platform/directories.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { projectId } from "../../services/workspace/open-workspace.ts";

/** The folders that belong to the worktrees of one repository; absolute. */
export type WorktreeFolders = {
  readonly records: string;
  /** New worktrees lie in this folder. */
  readonly folder: string;
};

/** @param commonFolder The git folder that the repository's work trees share; absolute, links resolved. */
export function worktreeFolders(
  own: Directories,
  commonFolder: string,
  settings: WorktreeSettings = {},
): WorktreeFolders {
  const id = projectId(basename(commonFolder) === ".git" ? dirname(commonFolder) : commonFolder);
  const { folder } = settings;
  const chosen = folder === undefined ? join(realPathOrSelf(own.data), "worktrees") : folder.replace(/^~/, own.home);
  return { records: recordsOf(own, id), folder: join(chosen, id) };
}

/** The folder of the records of a project's worktrees, by the project's id. */
export function recordsOf(own: Directories, id: string): string {
  return join(own.state, "worktrees", id);
}
