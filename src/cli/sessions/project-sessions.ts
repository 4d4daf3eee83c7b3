import { join, resolve } from "node:path";
import { processEnvironment } from "../../app/process-environment.ts";
import { withOrigin } from "../../app/worktree/worktree-project.ts";
import { findProject } from "../../services/workspace/open-workspace.ts";

/**
 * The project of this folder, or of a folder named from here, without its settings. `sessions`: the folder of its
 * sessions. Paths are absolute.
 */
export async function projectSessions(given = ".") {
  const { own, machine, env } = processEnvironment();
  const cwd = resolve(machine.cwd, given);
  const project = await withOrigin(findProject({ cwd, home: own.home }), own);
  return { own, env, cwd, project, sessions: join(own.data, "sessions", project.id) };
}
