import type { RestoredSession } from "../../../contracts/session.ts";
import { entryExists } from "../../../platform/paths.ts";
import { takeEndedCommands } from "../../../platform/processes/orphan-watch.ts";
import { lastWorktree } from "../../worktree/wire-main-worktree.ts";
import { recordsOf } from "../../worktree/worktree-places.ts";
import { endedCommandsFile } from "../open-orphan-watch.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

/**
 * One line for each leftover of a killed session: commands that were ended, and worktrees that stay. Each leftover is
 * reported once.
 * @param restored The opened conversation, whose worktree is not touched.
 */
export async function leftOverLines(
  app: Parameters<typeof endedCommandsFile>[0],
  environment: ProjectEnvironment,
  restored: RestoredSession | undefined,
): Promise<readonly string[]> {
  const ended = takeEndedCommands(endedCommandsFile(app)).map(
    (line) => `Quoll was killed while this command ran, so the command was ended: ${line}`,
  );
  if (!entryExists(recordsOf(environment.own, environment.project.id))) return ended;
  const { abandonedLines } = await import("../../worktree/abandoned-worktrees.ts");
  return [...ended, ...(await abandonedLines(environment, lastWorktree(restored), new AbortController().signal))];
}
