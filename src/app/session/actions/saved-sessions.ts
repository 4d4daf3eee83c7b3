import { once } from "@quoll/async/once";
import type { CommandContext } from "../../../contracts/command.ts";
import type { Agent } from "../../agent/open-agent.ts";
import { withAttachLine } from "../open-conversation.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

type Parts = {
  readonly place: Pick<ProjectEnvironment, "own" | "project">;
  readonly main: Pick<Agent, "engine">;
};

/**
 * The saved sessions of the project, also those that it had before its folder was moved.
 * @param folder `sessions/<project id>` in Quoll's data folder.
 */
export function savedSessions(folder: string, { place, main }: Parts): CommandContext["sessions"] {
  const { own, project } = place;
  const takeMoved = once(async () => {
    const { takeMovedSessions } = await import("../../../services/session/io/moved-sessions.ts");
    const line = takeMovedSessions(folder, project.root);
    if (line !== undefined) main.engine.tell(line, "info");
  });
  const listing = () => import("../../../services/session/list-sessions.ts");
  const logs = () => import("../../../services/session/session-log.ts");
  return {
    list: async () => {
      await takeMoved();
      return (await listing()).listSessions(folder);
    },
    previews: async (ids) => {
      const { previewSession } = await import("../../../services/session/preview-session.ts");
      return ids.map((id) => previewSession(folder, id));
    },
    folder: project.cwd,
    assertFree: (id) => withAttachLine(own, async () => (await logs()).assertSessionFree(folder, id)),
    folderOf: async (id) => (await listing()).folderOfSession(folder, id),
  };
}
