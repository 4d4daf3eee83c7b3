import { oneLine } from "@quoll/terminal-text/one-line";
import type { Clock } from "../../contracts/ports.ts";
import type { TaskInfo } from "../../contracts/task.ts";
import { TaskRegistry } from "../../services/tasks/task-registry.ts";
import type { SessionAgents } from "./session-agents.ts";

const MAX_TITLE_COLUMNS = 200;

/** The background work of a session. The agent that owns a task is told its end. */
export function sessionTasks(clock: Clock, agents: Pick<SessionAgents, "get">): TaskRegistry {
  const ownerOf = ({ agentId }: TaskInfo) => agents.get(agentId)?.engine;
  return new TaskRegistry({
    clock,
    changed: (what, task) => ownerOf(task)?.taskNews.tell({ type: `task_${what}`, task }),
    announce: (task) => ownerOf(task)?.taskNews.addNote(task.id, endNote(task)),
    told: (task) => ownerOf(task)?.taskNews.withdrawNote(task.id),
  });
}

/** For the model, and for the person where no turn runs. */
function endNote({ id, title, state, outputFile }: TaskInfo): string {
  return `Background task ${id} ${state}: ${oneLine(title, MAX_TITLE_COLUMNS)}. Its output is in ${outputFile}.`;
}
