import { oneLine } from "@quoll/terminal-text/one-line";
import { taskName } from "../../../contracts/task.ts";
import type { TaskEvent } from "../../../contracts/task-control.ts";

const MAX_COLUMNS = 200;

/**
 * The line about an agent on a terminal that shows no strip; undefined if it needs none. The session itself says how an
 * agent in the background ended, and which one is silent.
 */
export function plainTaskLine({ type, task }: TaskEvent): string | undefined {
  if (task.kind !== "agent") return undefined;
  const who = `Agent ${taskName(task)}`;
  if (type === "task_started") return `${who} started: ${oneLine(task.title, MAX_COLUMNS)}`;
  if (type === "task_changed" || task.isBackground) return undefined;
  return `${who} ${oneLine(task.state, MAX_COLUMNS)}`;
}
