import type { AgentSource } from "../contracts/agent.ts";
import type { EngineEvent, EventEnvelope } from "../contracts/event.ts";

type Listener = (envelope: EventEnvelope) => void;

/** Sends each event to all readers of an agent, in order. */
export class EventHub {
  readonly #from: Omit<EventEnvelope, "event">;
  readonly #listeners = new Set<Listener>();
  /** Events that were emitted while a reader handled an event, so that each reader gets all events in the same order. */
  readonly #next: EventEnvelope[] = [];
  #isSending = false;
  #held: Extract<EngineEvent, { type: "notice" }>[] | undefined;

  constructor(sessionId: string, { agentId, parentAgentId, parentToolUseId }: AgentSource) {
    this.#from = { sessionId, agentId, parentAgentId, parentToolUseId };
  }

  readonly emit = (event: EngineEvent): void => {
    if (this.#held && event.type === "notice") {
      this.#held.push(event);
      return;
    }
    if (event.type === "turn_finished") this.#release();
    this.#send(event);
    if (event.type === "turn_started" || event.type === "words_added") this.#release();
  };

  /** Holds notices until the next prompt is reported or the turn ends: lines about a prompt belong below it. */
  holdNotices(): void {
    this.#held ??= [];
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const notice of held) this.#send(notice);
  }

  #send(event: EngineEvent): void {
    // A task list that a call changed is sent as a separate event.
    if (event.type === "tool_finished" && event.display?.kind === "todos")
      this.#send({ type: "todos_changed", todos: event.display.todos });
    this.#next.push({ ...this.#from, event });
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let envelope = this.#next.shift(); envelope; envelope = this.#next.shift())
        for (const listener of this.#listeners) listener(envelope);
    } finally {
      this.#isSending = false;
    }
  }

  /** @returns a function that removes the listener. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#listeners.clear();
  }
}
