import type { EventEnvelope } from "../../contracts/event.ts";
import { MessageLines, type MessageLinesOptions } from "./message-lines.ts";
import { TaskLines } from "./task-lines.ts";
import type { WireLine } from "./wire-format.ts";

/**
 * Turns the events of a session's agents into lines of stream-json. Messages of a child agent are sent whole, so that a
 * reader that joins deltas need not distinguish agents.
 */
export class AgentLines {
  readonly #options: MessageLinesOptions;
  readonly #main: MessageLines;
  /** The lines of each busy sub-agent, by its id. */
  readonly #children = new Map<string, MessageLines>();
  readonly #tasks = new TaskLines(() => performance.now());

  constructor(options: MessageLinesOptions) {
    this.#options = options;
    this.#main = new MessageLines(options);
  }

  lines(envelope: EventEnvelope): readonly WireLine[] {
    const { event, agentId, parentAgentId } = envelope;
    if (event.type === "task_started" || event.type === "task_changed" || event.type === "task_ended")
      return this.#tasks.lines(event);
    if (parentAgentId === null) return this.#main.lines(event);
    const child =
      this.#children.get(agentId) ?? new MessageLines({ ...this.#options, partial: false, child: envelope });
    this.#children.set(agentId, child);
    if (event.type === "busy_changed" && !event.busy) this.#children.delete(agentId);
    return child.lines(event);
  }
}
