import type { AgentSource } from "../../contracts/agent.ts";
import type { EventEnvelope } from "../../contracts/event.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { SessionWatch } from "../session/notices/watch-session.ts";

/** An agent of the session, with the parts that the rest of the session may use. */
export type OpenAgent = {
  readonly source: AgentSource;
  readonly engine: Pick<QueryEngine, "subscribe" | "notify" | "taskNews" | "conversation">;
  readonly permissions: Pick<PermissionService, "pathRules">;
};

/** The number of closed agents whose last entry is remembered. */
const MAX_CLOSED = 300;

/** The open agents of a session, and the events of all of them. */
export class SessionAgents {
  readonly #watch: Pick<SessionWatch, "follow">;
  readonly #open = new Map<string, OpenAgent>();
  /** The last entries of closed agents, oldest first. */
  readonly #closed = new Map<string, string>();
  readonly #readers = new Set<(envelope: EventEnvelope) => void>();

  constructor(watch: Pick<SessionWatch, "follow">) {
    this.#watch = watch;
  }

  /** @returns the function that removes the agent; the agent's engine ends its own subscriptions. */
  opened(agent: OpenAgent): () => void {
    const { agentId } = agent.source;
    this.#watch.follow(agent.engine);
    agent.engine.subscribe((envelope) => {
      for (const reader of this.#readers) reader(envelope);
    });
    this.#open.set(agentId, agent);
    return () => {
      this.#open.delete(agentId);
      this.#remember(agentId, agent.engine.conversation.lastId);
    };
  }

  /**
   * The id of the last entry of an agent's conversation; undefined if there is no entry, or it is no longer remembered.
   */
  lastEntryOf(agentId: string): string | undefined {
    return this.#open.get(agentId)?.engine.conversation.lastId ?? this.#closed.get(agentId);
  }

  /** The agent that the person talks with; undefined before it is opened. */
  get main(): OpenAgent | undefined {
    return [...this.#open.values()].find(({ source }) => source.parentAgentId === null);
  }

  get(agentId: string): OpenAgent | undefined {
    return this.#open.get(agentId);
  }

  #remember(agentId: string, lastId: string | null): void {
    this.#closed.delete(agentId);
    if (lastId !== null) this.#closed.set(agentId, lastId);
    for (const oldest of [...this.#closed.keys()].slice(0, -MAX_CLOSED)) this.#closed.delete(oldest);
  }

  /** Reports the events of every agent; an event names its agent. @returns the function that removes the reader. */
  subscribe(reader: (envelope: EventEnvelope) => void): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }
}
