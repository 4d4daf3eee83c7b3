import { oneLine } from "@quoll/terminal-text/one-line";
import { taskName } from "../../../contracts/task.ts";
import type { TaskEvent } from "../../../contracts/task-control.ts";

const MAX_COLUMNS = 200;

/**
 * The line about an agent on a terminal without a strip; undefined if none is needed. The session itself reports how a
 * background agent ended, and which agent shows no activity.
 */
export function plainTaskLine({ type, task }: TaskEvent): string | undefined {
  if (task.kind !== "agent") return undefined;
  const who = `Agent ${taskName(task)}`;
  if (type === "task_started") return `${who} started: ${oneLine(task.title, MAX_COLUMNS)}`;
  if (type === "task_changed" || task.isBackground) return undefined;
  return `${who} ${oneLine(task.state, MAX_COLUMNS)}`;
}
