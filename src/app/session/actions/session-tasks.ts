import { oneLine } from "@quoll/terminal-text/one-line";
import type { Clock, Redactor } from "../../../contracts/ports.ts";
import type { SessionConfig } from "../../../contracts/session-config.ts";
import { type TaskInfo, taskName } from "../../../contracts/task.ts";
import { AGENTS_ENDED, SHELL_NEWS } from "../../../engine/system-reminders.ts";
import type { TaskNotices } from "../../../engine/task-notices.ts";
import { TaskRegistry } from "../../../services/tasks/task-registry.ts";
import type { AgentStore } from "../../agent/agent-store.ts";
import type { SessionAgents } from "../../agent/session-agents.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

const MAX_TITLE_COLUMNS = 200;
/** The maximum number of tasks whose waiting lines are kept; a registry has fewer tasks. */
const MAX_MATCHES = 100;
/** The maximum number of watched lines in one message; the last lines are kept. */
const MAX_LINES = 20;
/** The maximum length of an agent's answer in the message that announces its end. */
const MAX_ANSWER_CHARS = 20_000;

const ANSWER_WAITS = "The model gets its answer with your next prompt.";

/** Watched lines that wait for the model: their number, and the last lines. */
type Matches = { readonly count: number; readonly last: readonly string[] };

export type NewsParts = {
  readonly config: Pick<SessionConfig, "answerer">;
  readonly environment: Pick<ProjectEnvironment, "settings">;
  redactor(): Promise<Pick<Redactor, "redact">>;
};

/**
 * The agents and the background work of a session. The agent that owns a task is told when the task ends.
 */
export function sessionTasks(
  clock: Clock,
  agents: Pick<SessionAgents, "get">,
  store: Pick<AgentStore, "note">,
  { config, environment, redactor }: NewsParts,
): TaskRegistry {
  /** True if the end of the last background agent starts a turn when none runs. */
  const agentsMayWake = () => environment.settings.agents?.wake ?? config.answerer !== "person";
  /** True if ending commands and matched lines start a turn when none runs. */
  const shellsMayWake = () => environment.settings.tools?.bashWakes ?? false;
  const ownerOf = ({ agentId }: TaskInfo) => agents.get(agentId)?.engine;
  /** One turn for the answers of all agents costs less than one turn for each. */
  const shellNews = () => (shellsMayWake() ? SHELL_NEWS : undefined);
  const agentNews = (task: TaskInfo) =>
    agentsMayWake() && !registry.awaitsAnswer(task.agentId) ? AGENTS_ENDED : undefined;
  const matches = new Map<string, Matches>();
  /** One message contains all lines that the model has not seen yet; the person sees one line about it. */
  const notifyOfLines = (task: TaskInfo, lines: readonly string[], news: TaskNotices) => {
    const id = linesId(task);
    const before = news.isWaiting(id) ? matches.get(id) : undefined;
    const now = {
      count: (before?.count ?? 0) + lines.length,
      last: [...(before?.last ?? []), ...lines].slice(-MAX_LINES),
    };
    if (matches.size >= MAX_MATCHES) matches.delete([...matches.keys()][0] ?? "");
    matches.set(id, now);
    const note = linesNote(task, now);
    if (before) news.addModelNote(id, note);
    else news.addNote(id, note, { line: matchLine(task, lines[0] ?? ""), level: "info", wakes: shellNews() });
  };
  const registry: TaskRegistry = new TaskRegistry({
    clock,
    changed: (what, task) => {
      if (task.can.includes("resume")) store.note(task);
      ownerOf(task)?.taskNews.emit({ type: `task_${what}`, task });
    },
    announce: (task, answer) => {
      const note = endNote(task);
      const line = config.answerer === "person" ? endLine(task) : note;
      const answers = task.can.includes("answer");
      const wakes = answers ? agentNews(task) : shellNews();
      ownerOf(task)?.taskNews.addNote(task.id, [note, ...answerPart(task, answer)].join("\n"), {
        line,
        wakes,
        level: task.status === "failed" ? undefined : "info",
        ...(answers && answer && !agentsMayWake() && { whileWaiting: ANSWER_WAITS }),
      });
    },
    matched: (task, lines) => {
      void redactor().then((hiding) => {
        const news = ownerOf(task)?.taskNews;
        if (news)
          notifyOfLines(
            task,
            lines.map((line) => hiding.redact(line)),
            news,
          );
      });
    },
    withdraw: (task) => {
      const news = ownerOf(task)?.taskNews;
      for (const id of [task.id, linesId(task)]) news?.withdrawNote(id);
    },
  });
  return registry;
}

const linesId = ({ id }: TaskInfo) => `${id}:lines`;

function matchLine({ id }: TaskInfo, line: string): string {
  return `Background task ${id} printed: ${oneLine(line, MAX_TITLE_COLUMNS)}`;
}

/** The note is marked as output of a program, because it contains no text of the user. */
function linesNote({ id, outputFile }: TaskInfo, { count, last }: Matches): string {
  const skipped = count > last.length ? [`[${count - last.length} earlier lines; all output is in ${outputFile}]`] : [];
  const plain = last.map((line) => line.replaceAll("</task-lines", "<\\/task-lines"));
  return [
    `Background task ${id} printed lines that it is watched for:`,
    `<task-lines id="${id}">`,
    ...skipped,
    ...plain,
    "</task-lines>",
  ].join("\n");
}

/** The note for the model. The answer of an agent comes with it. */
function endNote(task: TaskInfo): string {
  return task.can.includes("answer") ? ended(task) : `${ended(task)} Its output is in ${task.outputFile}.`;
}

/** The line for a person at a screen if no turn runs: a path would take several rows. */
function endLine(task: TaskInfo): string {
  return task.can.includes("answer") ? ended(task) : `${ended(task)} /tasks ${task.id} names its output.`;
}

function ended(task: TaskInfo): string {
  const name = task.can.includes("answer") ? `Agent ${taskName(task)}` : `Background task ${task.id}`;
  return `${name} ${task.state}: ${oneLine(task.title, MAX_TITLE_COLUMNS)}.`;
}

/** The answer of an agent, marked as such because it contains no text of the user. */
function answerPart({ id }: TaskInfo, answer: string | undefined): readonly string[] {
  if (answer === undefined || answer === "") return [];
  const plain = answer.replaceAll("</agent-answer", "<\\/agent-answer");
  const isCut = plain.length > MAX_ANSWER_CHARS;
  const shown = isCut ? `${plain.slice(0, MAX_ANSWER_CHARS)}\n[cut: TaskOutput ${id} returns all of it]` : plain;
  return [`<agent-answer id="${id}">\n${shown}\n</agent-answer>`];
}
