import { defineTool, type Tool, textResult } from "../../../contracts/tool.ts";
import type { ServerPorts } from "../bash/server-ports.ts";
import { taskOutputSpec } from "./spec.ts";

/** Returns the new output and the state of a background task. */
export function taskOutputTool(ports?: Pick<ServerPorts, "list">): Tool {
  return defineTool(taskOutputSpec, async ({ task_id, block, timeout }, { signal, tasks }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: task_id,
    run: async () => {
      const { task, text } = await tasks.output(task_id, { block, timeoutMs: timeout, signal });
      const open = (ports?.list(task_id) ?? []).map(
        ({ port, address }) => `; the user reaches port ${port} at ${address}`,
      );
      return textResult(`${text === "" ? "(nothing new)" : text}\n[${task_id} ${task.state}${open.join("")}]`, {
        exemptFromSpill: true,
        isError: task.status === "failed",
        display: { kind: "summary", text: `${task_id} ${task.state}` },
      });
    },
  }));
}
