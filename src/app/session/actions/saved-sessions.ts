import { once } from "@quoll/async/once";
import type { CommandContext } from "../../../contracts/command.ts";
import type { Agent } from "../../agent/open-agent.ts";
import type { App } from "../../open-app.ts";
import { type OpenedConversation, withAttachLine } from "../open-conversation.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

type Parts = {
  readonly app: Pick<App, "clock" | "ids">;
  readonly conversation: Pick<OpenedConversation, "log">;
  readonly place: Pick<ProjectEnvironment, "own" | "project">;
  readonly main: Pick<Agent, "engine">;
};

/**
 * The saved sessions of the project, also those that it had before its folder was moved.
 * @param folder `sessions/<project id>` in Quoll's data folder.
 */
export function savedSessions(folder: string, { app, conversation, place, main }: Parts): CommandContext["sessions"] {
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
      return (await import("../../../services/session/session-catalogue.ts")).listSessions(folder);
    },
    label: async (sessionId, label) => {
      if (sessionId === conversation.log.sessionId) return conversation.log.label(label);
      const { labelSession } = await import("../../../services/session/label-session.ts");
      await withAttachLine(own, async () => labelSession({ folder, sessionId }, label, app));
    },
    folder: project.cwd,
    assertFree: (id) => withAttachLine(own, async () => (await logs()).assertSessionFree(folder, id)),
    folderOf: async (id) => (await listing()).folderOfSession(folder, id),
  };
}
