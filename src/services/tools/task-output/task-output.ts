import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { withTextBody } from "../../../contracts/result-body.ts";
import { isOpenTask, type TaskInfo, type Tasks, taskName } from "../../../contracts/task.ts";
import { type Tool, type ToolResult, textResult } from "../../../contracts/tool.ts";
import type { ServerPorts } from "../bash/server-ports.ts";
import { taskOutputSpec } from "./spec.ts";

export const taskOutputInput = z.object({
  task_id: z.string().min(1).optional().describe("Such as b1 or a1; without it, all tasks are listed"),
  block: z.boolean().default(true),
  timeout: z.number().int().min(0).max(600_000).default(30_000).describe("Milliseconds"),
});

/** Most finished tasks in the list. */
const MAX_LISTED = 20;

/** Returns the new output and the state of a task; without an id, a list of the tasks. */
export function taskOutputTool(ports?: Pick<ServerPorts, "list">): Tool {
  return defineTool(taskOutputSpec, taskOutputInput, async ({ task_id: id, block, timeout }, { signal, tasks }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: id ?? "all tasks",
    run: async () => {
      if (id === undefined) return taskList(tasks);
      const { task, text, isLimited } = await tasks.output(id, { block, timeoutMs: timeout, signal });
      const open = (ports?.list(task.id) ?? []).map(
        ({ port, address }) => `; the user reaches port ${port} at ${address}`,
      );
      return textResult(`${text === "" ? "(nothing new)" : text}\n[${taskName(task)} ${task.state}${open.join("")}]`, {
        exemptFromSpill: isLimited,
        isError: task.status === "failed",
        display: { kind: "summary", text: `${id} ${task.state}`, ...withTextBody(text) },
      });
    },
  }));
}

function taskList(tasks: Tasks): ToolResult {
  const all = tasks.list();
  const open = all.filter(isOpenTask);
  const shown = [...open, ...all.filter((task) => !isOpenTask(task)).slice(-MAX_LISTED)];
  const text = shown.length === 0 ? "There are no tasks." : shown.map(taskLine).join("\n");
  return textResult(text, { display: { kind: "summary", text: `${open.length} running`, ...withTextBody(text) } });
}

function taskLine(task: TaskInfo): string {
  const { title, state, agent, status } = task;
  const doing = agent && status === "running" ? ` (${agent.activity})` : "";
  return `${taskName(task)} ${state}${doing}: ${title}`;
}
