import type { EngineEvent } from "../../../contracts/event.ts";
import { isOpenTask, type TaskInfo } from "../../../contracts/task.ts";

/** An agent or a background shell in the strip below the prompt. All times are monotonic milliseconds. */
export type ShownTask = {
  readonly info: TaskInfo;
  readonly startedAt: number;
  /** The time of the last report about the task. */
  readonly seenAt: number;
  /** The end time; undefined while the task is open. */
  readonly endedAt: number | undefined;
};

/** How long an ended task is kept; it is kept longer while the person is in the strip. */
export const KEPT_MS = 30_000;
/** How long an ended task is kept if the call that waited for it shows its result. */
const KEPT_WITH_RESULT_MS = 5_000;
const MAX_ENDED = 20;

/** The time on the monotonic clock, and in milliseconds since the epoch. */
type Now = { readonly nowMs: number; readonly wallMs: number };

/**
 * The tasks after a report about one of them: open tasks in the order of their start, each agent followed by its
 * commands; then ended tasks, newest first.
 */
export function takeTask(tasks: readonly ShownTask[], info: TaskInfo, { nowMs, wallMs }: Now): readonly ShownTask[] {
  const at = tasks.findIndex((task) => task.info.id === info.id);
  const known = tasks[at];
  const isOpen = isOpenTask(info);
  const endedAt = isOpen ? undefined : (known?.endedAt ?? nowMs);
  const startedAt = known?.startedAt ?? nowMs - Math.max(0, wallMs - info.startedAt);
  const task: ShownTask = { info, startedAt, seenAt: nowMs, endedAt };
  if (known && isOpen) return tasks.with(at, task);
  const others = tasks.filter((one) => one !== known);
  const open = others.filter((one) => one.endedAt === undefined);
  const ended = others.filter((one) => one.endedAt !== undefined);
  if (!isOpen) return [...open, task, ...ended].slice(0, open.length + MAX_ENDED);
  const last = open.findLastIndex((one) => ownerOf(info, [one]) !== undefined || isSibling(info, one.info));
  const place = info.parentAgentId === null || last < 0 ? open.length : last + 1;
  return [...open.slice(0, place), task, ...open.slice(place), ...ended];
}

/** The task of the agent that started a command or asks a question; undefined for the main conversation. */
export function ownerOf({ agentId }: Pick<TaskInfo, "agentId">, tasks: readonly ShownTask[]): TaskInfo | undefined {
  return tasks.findLast(({ info }) => info.agent?.agentId === agentId)?.info;
}

function isSibling(one: TaskInfo, other: TaskInfo): boolean {
  return one.parentAgentId !== null && one.agentId === other.agentId;
}

/** Drops tasks that ended some time ago. @returns the same array if nothing changes. */
export function keptTasks(tasks: readonly ShownTask[], nowMs: number): readonly ShownTask[] {
  // Ended tasks follow the open tasks.
  if (tasks.at(-1)?.endedAt === undefined) return tasks;
  const kept = tasks.filter(({ info, endedAt }) => endedAt === undefined || nowMs - endedAt < keptMsOf(info));
  return kept.length === tasks.length ? tasks : kept;
}

/** How long a task is kept after its end. */
export function keptMsOf(info: TaskInfo): number {
  return isResultOfCall(info) ? KEPT_WITH_RESULT_MS : KEPT_MS;
}

/** True if the row of a call shows the end of a task. */
export function isResultOfCall({ isBackground, toolUseId }: Pick<TaskInfo, "isBackground" | "toolUseId">): boolean {
  return !isBackground && toolUseId !== undefined;
}

/** A task without a report for longer is less active than the others. */
const ACTIVE_MS = 10_000;

/** The most active tasks, in the order in which they were given: those with a question first, ended ones last. */
export function mostActive(
  tasks: readonly ShownTask[],
  count: number,
  { asks, nowMs }: { readonly asks: (task: ShownTask) => boolean; readonly nowMs: number },
): readonly ShownTask[] {
  if (tasks.length <= count) return tasks;
  const rank = (task: ShownTask) => {
    if (asks(task)) return 0;
    if (task.endedAt !== undefined) return 4;
    if (task.info.status === "queued") return 3;
    return nowMs - task.seenAt < ACTIVE_MS ? 1 : 2;
  };
  const kept = new Set(tasks.toSorted((one, other) => rank(one) - rank(other)).slice(0, count));
  return tasks.filter((task) => kept.has(task));
}

/** The open tasks that a call waits for. */
export function awaitedTasks(tasks: readonly ShownTask[]): readonly ShownTask[] {
  return tasks.filter(
    ({ info, endedAt }) => endedAt === undefined && !info.isBackground && info.toolUseId !== undefined,
  );
}

/** True for an event that only the strip shows and that nobody waits for. */
export function isStripNews(event: EngineEvent, tasks: readonly ShownTask[]): boolean {
  return "task" in event || (event.type === "tool_progress" && isCallOfTask(tasks, event.toolUseId));
}

/** True if the strip has a row for the call: the row of the call need not repeat its progress. */
export function isCallOfTask(tasks: readonly ShownTask[], toolUseId: string): boolean {
  return tasks.some(({ info, endedAt }) => endedAt === undefined && info.toolUseId === toolUseId);
}
