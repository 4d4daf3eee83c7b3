import { isOpenTask, type TaskInfo } from "../../contracts/task.ts";
import type { TaskEvent } from "../../contracts/task-control.ts";
import type { WireLine } from "./wire-format.ts";

/** The minimum time between two lines about the progress of one agent. */
const PROGRESS_EVERY_MS = 1_000;

/** This format's names for the kinds of tasks and their states. */
const TYPES = { agent: "local_agent", shell: "local_bash" } as const;
const PATCHED = {
  queued: "pending",
  running: "running",
  completed: "completed",
  failed: "failed",
  cancelled: "killed",
} as const;

type Known = { task: TaskInfo; toldAt: number };

/** Turns the events of agents and of background work into lines of stream-json, without `session_id`. */
export class TaskLines {
  readonly #monotonicMs: () => number;
  /** The open tasks, as the reader knows them. */
  readonly #known = new Map<string, Known>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  lines({ type, task }: TaskEvent): readonly WireLine[] {
    const before = this.#known.get(task.id);
    const wasBackground = before?.task.isBackground === true;
    if (isOpenTask(task)) this.#known.set(task.id, { task, toldAt: before?.toldAt ?? Number.NEGATIVE_INFINITY });
    else this.#known.delete(task.id);
    const isMoved = wasBackground !== (task.isBackground && isOpenTask(task));
    const level = isMoved ? [this.#level()] : [];
    if (type === "task_started") return [...level, started(task)];
    if (type === "task_ended") return [patched(task, { end_time: task.endedAt }), ...level, notification(task)];
    const isPatched = before?.task.status !== task.status || before.task.isBackground !== task.isBackground;
    const patch = isPatched ? [patched(task, { is_backgrounded: task.isBackground })] : [];
    return [...patch, ...level, ...this.#progress(task)];
  }

  #progress(task: TaskInfo): readonly WireLine[] {
    const known = this.#known.get(task.id);
    const now = this.#monotonicMs();
    if (!known || !task.agent || task.status !== "running" || now - known.toldAt < PROGRESS_EVERY_MS) return [];
    known.toldAt = now;
    const { lastTool, type } = task.agent;
    const tool = lastTool !== undefined && { last_tool_name: lastTool };
    const words = { description: task.description, subagent_type: type };
    return [system("task_progress", { ...about(task), ...words, ...usage(task), ...tool })];
  }

  /** Reports all background work whenever a task starts or ends. */
  #level(): WireLine {
    const all = [...this.#known.values()].map(({ task }) => task).filter((task) => task.isBackground);
    const tasks = all.map(({ id, kind, description, agent }) => ({
      task_id: id,
      task_type: TYPES[kind],
      description,
      ...(agent && { subagent_type: agent.type }),
    }));
    return system("background_tasks_changed", { tasks });
  }
}

function started(task: TaskInfo): WireLine {
  const { kind, description, agent, isBackground } = task;
  const type = agent && { subagent_type: agent.type };
  const fields = { description, task_type: TYPES[kind], is_backgrounded: isBackground, ...type };
  return system("task_started", { ...about(task), ...fields });
}

function patched(task: TaskInfo, more: WireLine): WireLine {
  const failed = task.status === "failed" && { error: task.state };
  return system("task_updated", { task_id: task.id, patch: { status: PATCHED[task.status], ...more, ...failed } });
}

function notification(task: TaskInfo): WireLine {
  const { title, state, outputFile, status } = task;
  const words = { output_file: outputFile, summary: `${title}: ${state}` };
  const end = status === "cancelled" ? "stopped" : status;
  return system("task_notification", { ...about(task), status: end, ...words, ...(task.agent && usage(task)) });
}

function about({ id, toolUseId }: TaskInfo): WireLine {
  return { task_id: id, ...(toolUseId !== undefined && { tool_use_id: toolUseId }) };
}

function usage({ agent, startedAt, endedAt }: TaskInfo): WireLine {
  const duration = (endedAt ?? Date.now()) - startedAt;
  return { usage: { total_tokens: agent?.tokens ?? 0, tool_uses: agent?.calls ?? 0, duration_ms: duration } };
}

function system(subtype: string, fields: WireLine): WireLine {
  return { type: "system", subtype, ...fields };
}
