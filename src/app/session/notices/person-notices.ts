import type { SessionConfig } from "../../../contracts/session-config.ts";
import type { SessionAgents } from "../../agent/session-agents.ts";

type NoticeDeps = {
  readonly config: Pick<SessionConfig, "answerer" | "noticesAsEvents">;
  readonly agents: Pick<SessionAgents, "main">;
  notify(line: string): void;
};

/** Tells the person one line: in the conversation, if it is open and has a reader, otherwise as a warning. */
export class PersonNotices {
  readonly #deps: NoticeDeps;
  /** The problems of instruction files that the person was told in this session; they are added. */
  readonly toldProblems = new Set<string>();
  #isClosed = false;

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
  }

  readonly notify = (line: string): void => {
    const { config, agents, notify } = this.#deps;
    const isAnswered = config.answerer !== "nobody";
    const isRead = !this.#isClosed && (isAnswered || config.noticesAsEvents === true);
    const conversation = isRead ? agents.main?.engine : undefined;
    conversation?.notify(line);
    if (!conversation || !isAnswered) notify(line);
  };

  /** Called when the session is being closed: nobody reads the conversation any more. */
  stop(): void {
    this.#isClosed = true;
  }
}
