import { join } from "node:path";
import { findGit } from "../../../platform/git/find-git.ts";
import { pruneCheckpoints } from "../../../services/checkpoint/io/prune.ts";
import { PRUNE_LIMITS } from "../../../services/checkpoint/prune-plan.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

const MEGABYTE = 1024 * 1024;

/**
 * Deletes outdated checkpoints of all projects.
 * @param nowMs Milliseconds since the epoch.
 * @returns lines for the person.
 * @throws {Error} git or the system failed.
 */
export async function pruneCheckpointsAtStart(
  {
    own,
    project,
    env,
    workspace,
    settings,
  }: Pick<ProjectEnvironment, "own" | "project" | "env" | "workspace" | "settings">,
  nowMs: number,
): Promise<readonly string[]> {
  const { keepDays = PRUNE_LIMITS.keepDays, maxDiskMb } = settings.checkpoints ?? {};
  const maxBytes = maxDiskMb === undefined ? PRUNE_LIMITS.maxBytes : maxDiskMb * MEGABYTE;
  const prune = {
    root: join(own.data, "checkpoints"),
    others: [join(own.data, "backups")],
    nowMs,
    git: findGit(env, [project.root, ...workspace.roots]),
    environment: env,
    limits: { ...PRUNE_LIMITS, keepDays, maxBytes },
  };
  return pruneCheckpoints(prune, new AbortController().signal);
}
