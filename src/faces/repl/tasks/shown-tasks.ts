import type { EngineEvent } from "../../../contracts/event.ts";
import { isOpenTask, type TaskInfo } from "../../../contracts/task.ts";

/** An agent or a background shell in the strip below the prompt. Times are monotonic milliseconds. */
export type ShownTask = {
  readonly info: TaskInfo;
  readonly startedAt: number;
  /** The time of the last report about it. */
  readonly seenAt: number;
  /** Undefined while it is open. */
  readonly endedAt: number | undefined;
};

/** A person's request about a task. */
export type TaskRequest = TaskAction | TaskMessage;

/** Words for an agent; one that has ended goes on with them. */
export type TaskMessage = {
  readonly type: "task";
  readonly does: "message";
  readonly id: string;
  readonly text: string;
};

export type TaskAction = {
  readonly type: "task";
  readonly does: "watch" | "unwatch" | "stop" | "background" | "release";
  /** Of the task; for `release`, of the call that runs a command. */
  readonly id: string;
};

/** An ended task stays so long, and longer while the person is in the strip. */
export const KEPT_MS = 30_000;
const MAX_ENDED = 20;

/**
 * The tasks after a report about one: open ones in the order of their start, the
 * commands of an agent after it; then ended ones, the last first.
 */
export function takeTask(tasks: readonly ShownTask[], info: TaskInfo, nowMs: number): readonly ShownTask[] {
  const at = tasks.findIndex((task) => task.info.id === info.id);
  const known = tasks[at];
  const isOpen = isOpenTask(info);
  const endedAt = isOpen ? undefined : (known?.endedAt ?? nowMs);
  const task: ShownTask = { info, startedAt: known?.startedAt ?? nowMs, seenAt: nowMs, endedAt };
  if (known && isOpen) return tasks.with(at, task);
  const others = tasks.filter((one) => one !== known);
  const open = others.filter((one) => one.endedAt === undefined);
  const ended = others.filter((one) => one.endedAt !== undefined);
  if (!isOpen) return [...open, task, ...ended].slice(0, open.length + MAX_ENDED);
  const last = open.findLastIndex((one) => ownerOf(info, [one]) !== undefined || isSibling(info, one.info));
  const place = info.parentAgentId === null || last < 0 ? open.length : last + 1;
  return [...open.slice(0, place), task, ...open.slice(place), ...ended];
}

/** The agent that started a command; undefined for the main conversation. */
export function ownerOf({ agentId }: TaskInfo, tasks: readonly ShownTask[]): TaskInfo | undefined {
  return tasks.findLast(({ info }) => info.agent?.agentId === agentId)?.info;
}

function isSibling(one: TaskInfo, other: TaskInfo): boolean {
  return one.parentAgentId !== null && one.agentId === other.agentId;
}

/** Drops tasks that ended a while ago. @returns the same array if nothing changes. */
export function keptTasks(tasks: readonly ShownTask[], nowMs: number): readonly ShownTask[] {
  // Ended tasks stand behind the open ones.
  if (tasks.at(-1)?.endedAt === undefined) return tasks;
  const kept = tasks.filter(({ endedAt }) => endedAt === undefined || nowMs - endedAt < KEPT_MS);
  return kept.length === tasks.length ? tasks : kept;
}

/** The open tasks that a call waits for. */
export function awaitedTasks(tasks: readonly ShownTask[]): readonly ShownTask[] {
  return tasks.filter(
    ({ info, endedAt }) => endedAt === undefined && !info.isBackground && info.toolUseId !== undefined,
  );
}

/** True for news that only the strip shows, for which nobody waits. */
export function isStripNews(event: EngineEvent, tasks: readonly ShownTask[]): boolean {
  return "task" in event || (event.type === "tool_progress" && isCallOfTask(tasks, event.toolUseId));
}

/** True if a row of the strip stands for the call: the row of the call need not repeat its progress. */
export function isCallOfTask(tasks: readonly ShownTask[], toolUseId: string): boolean {
  return tasks.some(({ info, endedAt }) => endedAt === undefined && info.toolUseId === toolUseId);
}
