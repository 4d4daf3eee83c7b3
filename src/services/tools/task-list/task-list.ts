import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import type { ListMark, ResultBody } from "../../../contracts/display.ts";
import type { ListedTask } from "../../../contracts/task-list.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { taskListSpec } from "./spec.ts";
import { openIds, type TaskListDeps, taskLine } from "./task-text.ts";

export const taskListInput = z.object({});

/** Lists the tasks of the shared list. */
export function taskListTool(deps: Pick<TaskListDeps, "open">): Tool {
  return defineTool(taskListSpec, taskListInput, async () => ({
    level: "none",
    concurrencySafe: true,
    subjects: [],
    title: "all tasks",
    run: async () => {
      const tasks = await (await deps.open()).list();
      const open = openIds(tasks);
      const text = tasks.length === 0 ? "The list is empty." : tasks.map((task) => taskLine(task, open)).join("\n");
      const body = tasks.length === 0 ? {} : { body: listOf(tasks) };
      const summary = `${plural(tasks.length, "task")}, ${tasks.length - open.size} completed`;
      return textResult(text, { display: { kind: "summary", text: summary, ...body } });
    },
  }));
}

const MARKS: Readonly<Record<ListedTask["status"], ListMark>> = {
  pending: "open",
  in_progress: "running",
  completed: "done",
};

function listOf(tasks: readonly ListedTask[]): ResultBody {
  const items = tasks.map(({ id, status, subject, owner }) => ({
    text: `${id} ${subject}`,
    mark: MARKS[status],
    ...(owner !== undefined && { note: owner }),
  }));
  return { kind: "list", items, isInResult: true };
}
