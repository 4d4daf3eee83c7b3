import type { SessionConfig } from "../../contracts/session-config.ts";
import type { SessionAgents } from "../agent/session-agents.ts";
import type { Closers } from "../closers.ts";
import type { OpenExtensions } from "../extensions/session-extensions.ts";
import type { OpenedConversation } from "./open-conversation.ts";
import type { Debugging } from "./records/lazy-debug-log.ts";

type Wiring = {
  readonly config: Pick<SessionConfig, "isSaved">;
  readonly conversation: OpenedConversation;
  readonly debugging: Debugging;
  readonly agents: Pick<SessionAgents, "subscribe">;
  readonly closers: Pick<Closers, "defer">;
  /** Tells the person one line. */
  tell(line: string): void;
};

/** Gives the extensions, which are loaded first, the parts of the session that they need while it runs. */
export function wireExtensions(
  extensions: OpenExtensions,
  { config, conversation, debugging, agents, closers, tell }: Wiring,
): void {
  if (config.isSaved) extensions.savedAs(conversation.log.sessionId);
  extensions.tellBy(tell);
  extensions.logBy((text) => debugging.log?.note("log", text));
  closers.defer(agents.subscribe(({ event }) => void (event.type === "turn_started" && extensions.noticeChanges())));
}

/** One line for each extension that is left out, because the person has not approved it. */
export function unapprovedExtensions({ view }: OpenExtensions): readonly string[] {
  return view
    .list()
    .filter(({ isUnapproved }) => isUnapproved)
    .map(({ name }) => `the extension ${name} is left out, because you have not approved it`);
}
