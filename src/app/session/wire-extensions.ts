import type { SessionConfig } from "../../contracts/session-config.ts";
import type { SessionAgents } from "../agent/session-agents.ts";
import type { OpenExtensions } from "../extensions/session-extensions.ts";
import type { PersonNotices } from "./notices/person-notices.ts";
import type { OpenedConversation } from "./open-conversation.ts";
import type { Debugging } from "./records/lazy-debug-log.ts";

type Extended = {
  readonly extensions: OpenExtensions;
  readonly config: Pick<SessionConfig, "isSaved">;
  readonly conversation: Pick<OpenedConversation, "log">;
};

/**
 * Gives the extensions, which are loaded first, the parts of the session that they need while it runs.
 * @returns the function that ends this.
 */
export function wireExtensions(
  { extensions, config, conversation }: Extended,
  { log }: Debugging,
  agents: Pick<SessionAgents, "subscribe">,
  { notify }: Pick<PersonNotices, "notify">,
): () => void {
  if (config.isSaved) extensions.savedAs(conversation.log.sessionId);
  extensions.notifyThrough(notify);
  extensions.logBy((text) => log?.note("log", text));
  return agents.subscribe(({ event }) => void (event.type === "turn_started" && extensions.noticeChanges()));
}

/** One line for each extension that is left out, because the person has not approved it. */
export function unapprovedExtensions({ view }: OpenExtensions): readonly string[] {
  return view
    .list()
    .filter(({ isUnapproved }) => isUnapproved)
    .map(({ name }) => `the extension ${name} is left out, because you have not approved it`);
}
