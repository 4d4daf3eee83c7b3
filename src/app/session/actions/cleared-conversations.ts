import type { CommandContext } from "../../../contracts/command.ts";
import type { OpenedSession } from "../opened-session.ts";
import { recently } from "./saved-sessions.ts";

type Parts = Pick<OpenedSession, "app" | "environment" | "conversation">;
type Cleared = "cleared" | "recentlyCleared" | "allCleared" | "copyCleared";

/**
 * The conversations that `/clear` ended; their entries stay in the files of their sessions. A session that is not saved has
 * no such conversations.
 */
export function clearedConversations(parts: Parts): Pick<CommandContext["sessions"], Cleared> {
  const { app, environment, conversation } = parts;
  const { folder } = conversation;
  if (conversation.entries) return {};
  const cleared = async () => (await import("../../../services/session/session-catalogue.ts")).listCleared(folder);
  return {
    cleared,
    recentlyCleared: recently(cleared, app),
    allCleared: async () => (await import("../saved/placed-sessions.ts")).placedCleared(environment.own),
    async copyCleared({ id: clearedId, sessionId }) {
      const { forkSession } = await import("../../../services/session/fork-session.ts");
      const newSessionId = app.ids.next();
      const { clock, ids, version } = app;
      const { cwd } = environment.project;
      await forkSession({ from: sessionId, newSessionId, clearedId }, { folder, cwd, version, clock, ids });
      return newSessionId;
    },
  };
}
