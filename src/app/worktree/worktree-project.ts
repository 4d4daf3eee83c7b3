import type { Directories } from "../../platform/directories.ts";
import { type Project, projectId } from "../../services/workspace/open-workspace.ts";
import { worktreeOrigin } from "../../services/worktree/worktree-origin.ts";
import { worktreeFolders } from "./worktree-folders.ts";

/**
 * A project in a worktree that Quoll made counts as the project that the worktree was made from: its trust, its sessions
 * and the person's settings for it.
 */
export async function withOrigin(project: Project, own: Directories): Promise<Project> {
  const [, commonFolder] = project.gitFolders;
  if (commonFolder === undefined) return project;
  const { records } = worktreeFolders(own, commonFolder);
  const origin = await worktreeOrigin(project.root, { records, commonFolder });
  return origin === undefined ? project : { ...project, trustRoot: origin, id: projectId(origin) };
}
