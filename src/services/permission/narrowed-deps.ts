import { join, relative } from "node:path";
import { isInside } from "../../platform/paths.ts";
import type { Situation } from "./judge/judgement.ts";
import type { PermissionDeps, PermissionScope } from "./permission-deps.ts";

/**
 * The parts for the engine of a child agent. In a separate checkout, only this checkout and the parent's folders
 * outside the replaced checkout are the agent's workspace; the replaced checkout is read-only.
 */
export function narrowedDeps(deps: PermissionDeps, { agent, state, notes, checkout }: PermissionScope): PermissionDeps {
  const own = { ...deps, notes: notes && (() => notes), agent, state };
  if (!checkout) return own;
  const { workspace, ownFolders, workFolders = [], placeInProject } = deps;
  const { from, to, roots, gitFolders, sandbox, guard } = checkout;
  return {
    ...own,
    ...{ sandbox, guard },
    // Rules that answers add are written for the parent's project.
    workspace: { roots, isBroad: workspace.isBroad, projectRoot: workspace.projectRoot },
    // A checkout can replace a checkout that itself replaces the project's.
    placeInProject: (path) => {
      const there = isInside(to, path) ? join(from, relative(to, path)) : path;
      return placeInProject ? placeInProject(there) : there;
    },
    readOnlyRoots: workspace.roots,
    ownFolders: [...ownFolders, ...gitFolders],
    workFolders: [...workFolders, to],
  };
}

type Folders = Pick<Situation, "roots" | "isBroad" | "freeReadRoots" | "ownFolders"> &
  Pick<Situation, "closedFolders" | "workFolders" | "readOnlyRoots" | "isCaseInsensitive" | "notes">;

/** The folders of an engine that every call is judged by. */
export function foldersOf(deps: PermissionDeps): Folders {
  const { workspace, freeReadRoots, ownFolders, closedFolders, workFolders, readOnlyRoots, isCaseInsensitive, notes } =
    deps;
  const { roots, isBroad } = workspace;
  return {
    ...{ roots, isBroad, freeReadRoots, ownFolders, closedFolders, workFolders, readOnlyRoots },
    ...{ isCaseInsensitive, notes },
  };
}
