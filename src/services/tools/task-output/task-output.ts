import { defineTool, type Tool, textResult } from "../../../contracts/tool.ts";
import type { BackgroundTasks, TaskInfo } from "../bash/background-tasks.ts";
import type { ServerPorts } from "../bash/server-ports.ts";
import { taskOutputSpec } from "./spec.ts";

/** Tells what a background task printed and how it stands. */
export function taskOutputTool(tasks: BackgroundTasks, ports?: Pick<ServerPorts, "list">): Tool {
  return defineTool(taskOutputSpec, async ({ task_id, block, timeout }, { signal }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: task_id,
    run: async () => {
      const { task, text } = await tasks.output(task_id, { block, timeoutMs: timeout, signal });
      const status = describeStatus(task);
      const open = (ports?.list(task_id) ?? []).map(
        ({ port, address }) => `; the user reaches port ${port} at ${address}`,
      );
      return textResult(`${text === "" ? "(nothing new)" : text}\n[${task_id} ${status}${open.join("")}]`, {
        exemptFromSpill: true,
        isError: task.status === "failed",
        display: { kind: "summary", text: `${task_id} ${status}` },
      });
    },
  }));
}

/** `is running`, `failed with exit code 2`, `was stopped: it printed too much`. */
export function describeStatus({ status, exitCode, signal, note }: TaskInfo): string {
  const why = note === undefined ? "" : `: ${note}`;
  if (status === "running") return "is running";
  if (status === "stopped") return `was stopped${why}`;
  if (status === "completed") return "completed with exit code 0";
  return signal === undefined ? `failed with exit code ${exitCode ?? "unknown"}` : `was ended by signal ${signal}`;
}
