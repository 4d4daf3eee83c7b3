import { oneLine } from "@quoll/terminal-text/one-line";
import type { Clock } from "../../contracts/ports.ts";
import type { TaskInfo } from "../../contracts/task.ts";
import { TaskRegistry } from "../../services/tasks/task-registry.ts";
import type { AgentStore } from "./agent-store.ts";
import type { SessionAgents } from "./session-agents.ts";

const MAX_TITLE_COLUMNS = 200;
/** Of an agent's answer in the message that announces its end. */
const MAX_ANSWER_CHARS = 20_000;

/**
 * The agents and the background work of a session. The agent that owns a task is told its end.
 * @param mayWake The last of the agents in the background starts a turn where none runs.
 */
export function sessionTasks(
  clock: Clock,
  agents: Pick<SessionAgents, "get">,
  store: Pick<AgentStore, "note">,
  mayWake: boolean,
): TaskRegistry {
  const ownerOf = ({ agentId }: TaskInfo) => agents.get(agentId)?.engine;
  /** One turn for the answers of all agents costs less than one for each. */
  const isLast = ({ agentId }: TaskInfo) => !registry.openAgents(agentId).some((one) => one.isBackground);
  const registry: TaskRegistry = new TaskRegistry({
    clock,
    changed: (what, task) => {
      if (task.kind === "agent") store.note(task);
      ownerOf(task)?.taskNews.tell({ type: `task_${what}`, task });
    },
    announce: (task, answer) => {
      const line = endNote(task);
      const wakes = mayWake && task.kind === "agent" && isLast(task);
      ownerOf(task)?.taskNews.addNote(task.id, [line, ...answerPart(task, answer)].join("\n"), { line, wakes });
    },
    told: (task) => ownerOf(task)?.taskNews.withdrawNote(task.id),
  });
  return registry;
}

/** For the model, and for the person where no turn runs. */
function endNote({ id, kind, title, state, outputFile }: TaskInfo): string {
  const shown = oneLine(title, MAX_TITLE_COLUMNS);
  // The answer of an agent comes with the note.
  if (kind === "agent") return `Agent ${id} ${state}: ${shown}.`;
  return `Background task ${id} ${state}: ${shown}. Its output is in ${outputFile}.`;
}

/** The answer of an agent, marked as such: it holds no words of the user. */
function answerPart({ id }: TaskInfo, answer: string | undefined): readonly string[] {
  if (answer === undefined) return [];
  const plain = answer.replaceAll("</agent-answer", "<\\/agent-answer");
  const isCut = plain.length > MAX_ANSWER_CHARS;
  const shown = isCut ? `${plain.slice(0, MAX_ANSWER_CHARS)}\n[cut: TaskOutput ${id} returns all of it]` : plain;
  return [`<agent-answer id="${id}">\n${shown}\n</agent-answer>`];
}
