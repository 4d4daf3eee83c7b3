import type { ProjectConfig } from "../../contracts/session-config.ts";
import type { WorktreeRequest } from "../../services/worktree/held-worktree.ts";
import type { App } from "../open-app.ts";
import { openProjectEnvironment } from "../session/project-environment.ts";
import type { ProjectPorts } from "../session/settle-trust.ts";
import { openWorktrees } from "./open-worktrees.ts";
import { startHooks } from "./start-hooks.ts";
import { keptLine } from "./worktree-lines.ts";

/** The worktree of a whole session. */
export type SessionWorktree = {
  /** The working folder of the session; absolute. */
  readonly cwd: string;
  /** Removes the worktree unless work in it would be lost. @returns the line about a worktree that stays. */
  leave(): Promise<string | undefined>;
};

/**
 * Makes or takes the worktree of a session, before the session opens in it.
 * @param config The session as it would be in the folder where Quoll was started.
 * @throws {UserFacingError} if there is no repository, or the worktree can't be made.
 */
export async function openSessionWorktree(
  app: App,
  { config, request }: { readonly config: ProjectConfig; readonly request: WorktreeRequest },
  ports: ProjectPorts,
): Promise<SessionWorktree> {
  const environment = await openProjectEnvironment(app, config, questionsOf(ports));
  const hooks = startHooks(app, environment, ports.startupWarning);
  try {
    const opened = openWorktrees(environment, hooks.fire);
    const signal = new AbortController().signal;
    const held = await opened.worktrees.open(request, signal);
    return {
      cwd: opened.folderIn(held.record.path),
      leave: async () => {
        try {
          const removal = await held.leave(signal);
          return removal.isRemoved ? undefined : keptLine(held.record, removal.why, app.own.home);
        } finally {
          await hooks.close();
        }
      },
    };
  } catch (error) {
    await hooks.close();
    throw error;
  }
}

/** The questions without the lines: the session reads the same settings again in the worktree, and gives their warnings. */
function questionsOf({ askTrust, askApproval, askAbove }: ProjectPorts): ProjectPorts {
  return {
    startupWarning: () => undefined,
    ...(askTrust && { askTrust }),
    ...(askApproval && { askApproval }),
    ...(askAbove && { askAbove }),
  };
}
