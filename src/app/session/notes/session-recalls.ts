import { join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import type { Redactor } from "../../../contracts/ports.ts";
import type { Recall, RecallScope } from "../../../contracts/recall.ts";
import type { Settings } from "../../../contracts/settings.ts";
import type { Directories } from "../../../platform/directories.ts";
import type { OwnSession, SessionRecall } from "../../../services/recall/session-recall.ts";
import type { Project } from "../../../services/workspace/open-workspace.ts";
import type { OpenedConversation } from "../open-conversation.ts";

/** The search in sessions, loaded at its first use. */
export type SessionRecalls = {
  /** A search for the person, who may search everything. */
  forPerson(): Promise<Recall>;
  /** A search for the model, with the sessions that it may see. */
  forModel(): Promise<{ readonly recall: Recall; readonly scope: RecallScope }>;
  close(): Promise<void>;
};

type Parts = {
  readonly own: Directories;
  readonly project: Pick<Project, "id">;
  readonly conversation: Pick<OpenedConversation, "log" | "entries">;
  readonly settings: Pick<Settings, "recall">;
  redactor(): Promise<Redactor>;
};

/** The search of one session. */
export function sessionRecalls({ own, project, conversation, settings, redactor }: Parts): SessionRecalls {
  const { log, entries } = conversation;
  let isOpened = false;
  const open = lazy(async () => {
    isOpened = true;
    return openRecall(own, await redactor(), {
      projectId: project.id,
      sessionId: log.sessionId,
      ...(entries && { entries }),
    });
  });
  return {
    forPerson: open,
    forModel: async () => ({
      recall: await open(),
      scope: settings.recall?.otherSessions === true ? "project" : "session",
    }),
    close: async () => (isOpened ? (await open()).close() : undefined),
  };
}

/**
 * @param redactor Hides credentials in all results: a log may contain credentials that were not known when it was
 * written.
 * @param session The session that searches; without it, only all sessions together can be searched.
 */
export async function openRecall(
  { data }: Pick<Directories, "data">,
  { redact }: Pick<Redactor, "redact">,
  session?: OwnSession,
): Promise<SessionRecall> {
  const [{ SessionRecall }, { indexFile }, { parseEntry }] = await Promise.all([
    import("../../../services/recall/session-recall.ts"),
    import("../../../services/recall/io/index-file.ts"),
    import("../../../services/session/entry.ts"),
  ]);
  return new SessionRecall({
    root: join(data, "sessions"),
    indexPath: indexFile(data),
    ...(session && { own: session }),
    redact,
    parse: (line) => {
      const read = parseEntry(line);
      return read.kind === "entry" ? read.entry : undefined;
    },
  });
}
