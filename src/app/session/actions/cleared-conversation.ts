import type { CommandContext } from "../../../contracts/command.ts";
import type { Agent } from "../../agent/open-agent.ts";
import type { Closers } from "../../closers.ts";
import type { App } from "../../open-app.ts";
import type { OpenedConversation } from "../open-conversation.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

type Parts = {
  readonly app: Pick<App, "clock" | "ids" | "version">;
  readonly main: Pick<Agent, "engine">;
  readonly place: Pick<ProjectEnvironment, "project">;
  readonly conversation: OpenedConversation;
  /** Where the sessions of this project are kept. */
  readonly folder: string;
  readonly closers: Pick<Closers, "defer">;
};

/**
 * The conversation that `/clear` ended; its entries stay in the file of the session. A session that is not saved has no
 * such conversation.
 */
export function clearedConversation(parts: Parts): Pick<CommandContext["sessions"], "hasCleared" | "copyCleared"> {
  const { app, main, place, conversation, folder, closers } = parts;
  if (conversation.entries) return {};
  let hasCleared = false;
  const unsubscribe = main.engine.subscribe(({ event }) => {
    if (event.type === "conversation_changed" && event.by === "clear") hasCleared = true;
  });
  closers.defer(unsubscribe);
  return {
    hasCleared: () => hasCleared,
    async copyCleared() {
      const { forkSession } = await import("../../../services/session/fork-session.ts");
      const newSessionId = app.ids.next();
      const { clock, ids, version } = app;
      const from = conversation.log.sessionId;
      const { cwd } = place.project;
      await forkSession({ folder, from, newSessionId, part: "cleared", cwd, version, clock, ids });
      return newSessionId;
    },
  };
}
