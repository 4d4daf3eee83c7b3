import type { CommandContext } from "../../../contracts/command.ts";
import type { OpenedSession } from "../opened-session.ts";

type Parts = Pick<OpenedSession, "app" | "environment" | "conversation">;

/**
 * The conversations that `/clear` ended; their entries stay in the files of their sessions. A session that is not saved has
 * no such conversations.
 */
export function clearedConversations(parts: Parts): Pick<CommandContext["sessions"], "cleared" | "copyCleared"> {
  const { app, environment, conversation } = parts;
  const { folder } = conversation;
  if (conversation.entries) return {};
  return {
    cleared: async () => (await import("../../../services/session/session-catalogue.ts")).listCleared(folder),
    async copyCleared({ id: clearedId, sessionId }) {
      const { forkSession } = await import("../../../services/session/fork-session.ts");
      const newSessionId = app.ids.next();
      const { clock, ids, version } = app;
      const { cwd } = environment.project;
      await forkSession({ folder, from: sessionId, newSessionId, clearedId, cwd, version, clock, ids });
      return newSessionId;
    },
  };
}
