import type { Session } from "../../app/session/open-session.ts";
import type { PastePlace } from "../../platform/paste-files.ts";

/** Where the prompt history keeps the large pastes of a session; undefined if the session is not saved. */
export function pastePlaceOf({
  config,
  folder,
  conversation,
}: Pick<Session, "config" | "folder" | "conversation">): PastePlace | undefined {
  return config.isSaved ? { folder, sessionId: conversation.log.sessionId } : undefined;
}
