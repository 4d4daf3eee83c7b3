import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentSource } from "../../contracts/agent.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { TaskInfo } from "../../contracts/task.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import { TaskRegistry } from "../../services/tasks/task-registry.ts";

const MAX_TITLE_COLUMNS = 200;

type Listener = Pick<QueryEngine, "taskNews">;

/** The background work of a session, told to the agents that it belongs to. */
export class SessionTasks {
  readonly registry: TaskRegistry;
  readonly #engines = new Map<string, Listener>();

  constructor(clock: Clock) {
    const ownerOf = ({ agentId }: TaskInfo) => this.#engines.get(agentId);
    this.registry = new TaskRegistry({
      clock,
      changed: (what, task) => ownerOf(task)?.taskNews.tell({ type: `task_${what}`, task }),
      announce: (task) => ownerOf(task)?.taskNews.addNote(task.id, endNote(task)),
      told: (task) => ownerOf(task)?.taskNews.withdrawNote(task.id),
    });
  }

  /** @returns what forgets the agent. */
  opened(engine: Listener, { agentId }: Pick<AgentSource, "agentId">): () => void {
    this.#engines.set(agentId, engine);
    return () => this.#engines.delete(agentId);
  }
}

/** For the model, and for the person where no turn runs. */
function endNote({ id, title, state, outputFile }: TaskInfo): string {
  return `Background task ${id} ${state}: ${oneLine(title, MAX_TITLE_COLUMNS)}. Its output is in ${outputFile}.`;
}
