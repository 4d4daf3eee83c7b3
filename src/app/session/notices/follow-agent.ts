import type { Clock } from "../../../contracts/ports.ts";
import type { Entry, SessionLog } from "../../../contracts/session.ts";
import { isOpenTask, type Tasks } from "../../../contracts/task.ts";
import type { TaskReport } from "../../../contracts/task-control.ts";
import { OutputFile } from "../../../platform/processes/output-file.ts";
import type { SessionAgents } from "../../agent/session-agents.ts";

export type FollowedAgent = FollowedTask & {
  readonly agents: Pick<SessionAgents, "get" | "lastEntryOf">;
  readonly log: Pick<SessionLog, "pathTo">;
};

/** How often a followed task is checked, in milliseconds. */
const FOLLOW_STEP_MS = 250;
/** The maximum part of an output that is shown, from its end. */
const MAX_BYTES = 256 * 1024;

type FollowedTask = {
  readonly tasks: Pick<Tasks, "list">;
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

/**
 * Reports the lines of a task's output file, and reports them again whenever the file has grown, until the task has
 * ended or `signal` aborts. Only the end of a long output is reported, below a line that says so. Never rejects.
 */
export async function followTask(
  { tasks, id, clock, signal }: FollowedTask,
  report: (lines: readonly string[]) => void,
): Promise<void> {
  const find = () => tasks.list().find((one) => one.id === id);
  const { outputFile } = find() ?? { outputFile: undefined };
  if (outputFile === undefined) return report(["It has ended, and is forgotten."]);
  let reported = -1;
  for (;;) {
    // The state is read before the output, so that output written before the end is not missed.
    const task = find();
    const isOpen = task !== undefined && isOpenTask(task);
    const file = await OutputFile.open(outputFile).catch(() => undefined);
    try {
      const size = (await file?.size()) ?? 0;
      if (file && size !== reported) report(await endOf(file, size));
      reported = size;
    } catch {
      report([`${outputFile} can't be read.`]);
    } finally {
      await file?.close();
    }
    if (!isOpen || signal.aborted) return;
    await clock.sleep(FOLLOW_STEP_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}

async function endOf(file: OutputFile, size: number): Promise<readonly string[]> {
  const start = Math.max(0, size - MAX_BYTES);
  const text = new TextDecoder().decode(await file.read(start, size));
  const lines = text.replace(/\n$/, "").split("\n");
  return start === 0 ? lines : [`… the whole output is in ${file.path}`, ...lines.slice(1)];
}
