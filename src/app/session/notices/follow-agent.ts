import type { Clock } from "../../../contracts/ports.ts";
import type { Entry, SessionLog } from "../../../contracts/session.ts";
import { isOpenTask, type Tasks } from "../../../contracts/task.ts";
import type { TaskReport } from "../../../contracts/task-control.ts";
import type { SessionAgents } from "../../agent/session-agents.ts";
import { FOLLOW_STEP_MS, followTask } from "./follow-task.ts";

export type FollowedAgent = {
  readonly tasks: Pick<Tasks, "list">;
  readonly agents: Pick<SessionAgents, "get" | "lastEntryOf">;
  readonly log: Pick<SessionLog, "pathTo">;
  readonly id: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/**
 * Reports the conversation of an agent so far, followed by its events, until its task has ended or `signal` aborts. A
 * task without a conversation is followed by its output file, like a command.
 * @throws {UserFacingError} the session's file can't be read.
 */
export async function followAgent(followed: FollowedAgent, report: (part: TaskReport) => void): Promise<void> {
  const { tasks, agents, id, clock, signal } = followed;
  const find = () => tasks.list().find((one) => one.id === id);
  const isOver = () => signal.aborted || !isOpenTask(find() ?? { status: "completed" });
  const step = () => clock.sleep(FOLLOW_STEP_MS, signal).catch(() => undefined);
  // A queued agent has no conversation yet.
  for (let agent = find()?.agent; agent && agent.agentId === undefined && !isOver(); agent = find()?.agent)
    await step();
  const agentId = find()?.agent?.agentId;
  if (agentId === undefined || agents.lastEntryOf(agentId) === undefined)
    return followTask(followed, (lines) => report({ kind: "lines", lines }));
  // No event can occur between reading the entries and subscribing.
  const open = agents.get(agentId);
  const isOpen = open !== undefined && !isOver();
  report({ kind: "conversation", entries: entriesOf(agentId, followed), isOpen });
  if (!isOpen) return;
  const unsubscribe = open.engine.subscribe(({ event }) => report({ kind: "event", event }));
  try {
    while (!isOver()) await step();
  } finally {
    unsubscribe();
  }
}

/** The entries of the agent itself, because a fork begins with those of its parent. */
function entriesOf(agentId: string, { agents, log }: FollowedAgent): readonly Entry[] {
  const lastId = agents.lastEntryOf(agentId);
  const path = lastId === undefined ? [] : log.pathTo(lastId);
  return path.filter((entry) => entry.agentId === agentId || entry.kind === "session");
}
