import { oneLine } from "@quoll/terminal-text/one-line";
import type { Clock } from "../../contracts/ports.ts";
import type { TaskInfo } from "../../contracts/task.ts";
import { TaskRegistry } from "../../services/tasks/task-registry.ts";
import type { AgentStore } from "./agent-store.ts";
import type { SessionAgents } from "./session-agents.ts";

const MAX_TITLE_COLUMNS = 200;
/** Of an agent's answer in the message that announces its end. */
const MAX_ANSWER_CHARS = 20_000;

/** The agents and the background work of a session. The agent that owns a task is told its end. */
export function sessionTasks(
  clock: Clock,
  agents: Pick<SessionAgents, "get">,
  store: Pick<AgentStore, "note">,
): TaskRegistry {
  const ownerOf = ({ agentId }: TaskInfo) => agents.get(agentId)?.engine;
  return new TaskRegistry({
    clock,
    changed: (what, task) => {
      if (task.kind === "agent") store.note(task);
      ownerOf(task)?.taskNews.tell({ type: `task_${what}`, task });
    },
    announce: (task, answer) =>
      ownerOf(task)?.taskNews.addNote(task.id, [endNote(task), ...answerPart(task, answer)].join("\n"), endNote(task)),
    told: (task) => ownerOf(task)?.taskNews.withdrawNote(task.id),
  });
}

/** For the model, and for the person where no turn runs. */
function endNote({ id, kind, title, state, outputFile }: TaskInfo): string {
  const what = kind === "agent" ? "Agent" : "Background task";
  return `${what} ${id} ${state}: ${oneLine(title, MAX_TITLE_COLUMNS)}. Its output is in ${outputFile}.`;
}

/** The answer of an agent, marked as such: it holds no words of the user. */
function answerPart({ id }: TaskInfo, answer: string | undefined): readonly string[] {
  if (answer === undefined) return [];
  const plain = answer.replaceAll("</agent-answer", "<\\/agent-answer");
  const isCut = plain.length > MAX_ANSWER_CHARS;
  const shown = isCut ? `${plain.slice(0, MAX_ANSWER_CHARS)}\n[cut: TaskOutput ${id} returns all of it]` : plain;
  return [`<agent-answer id="${id}">\n${shown}\n</agent-answer>`];
}
