import type { FireHook } from "../../../contracts/hook.ts";
import type { ListedTask, TaskList } from "../../../contracts/task-list.ts";

/** The shared list of a session, as the tools of one agent use it. */
export type TaskListDeps = {
  open(): Promise<TaskList>;
  /** Tells hooks about a task in the name of the agent. */
  readonly fire: FireHook;
  /** Notes a completed task. @returns a line for the model, or an empty text. */
  completed(hasTool: (name: string) => boolean): string;
};

/** One line: `3 [pending] Fix the parser (owner: a1; waits for 1, 2)`. @param open Ids of tasks that are not completed. */
export function taskLine({ id, status, subject, owner, blockedBy }: ListedTask, open: ReadonlySet<string>): string {
  const waiting = blockedBy.filter((other) => open.has(other));
  const notes = [
    ...(owner === undefined ? [] : [`owner: ${owner}`]),
    ...(waiting.length > 0 ? [`waits for ${waiting.join(", ")}`] : []),
  ];
  return `${id} [${status}] ${subject}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`;
}

/** The ids of the tasks that others wait for. */
export function openIds(tasks: readonly ListedTask[]): ReadonlySet<string> {
  return new Set(tasks.flatMap(({ id, status }) => (status === "completed" ? [] : [id])));
}

/** The fields that hooks get of a task. */
export function hookFieldsOf({ id, subject, description }: Pick<ListedTask, "id" | "subject" | "description">) {
  return { taskId: id, subject, description };
}
