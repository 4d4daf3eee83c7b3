import { defineTool, type Tool, textResult } from "../../../contracts/tool.ts";
import type { BackgroundTasks } from "../bash/background-tasks.ts";
import { describeStatus } from "../task-output/task-output.ts";
import { taskStopSpec } from "./spec.ts";

/** Ends a background task by the stop ladder. An abort gives up waiting, not stopping. */
export function taskStopTool(tasks: BackgroundTasks): Tool {
  return defineTool(taskStopSpec, async ({ task_id }, { signal }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: task_id,
    run: async () => {
      const task = await tasks.stop(task_id, signal);
      return textResult(`${task_id} ${describeStatus(task)}.`, {
        display: { kind: "summary", text: `${task_id} ${describeStatus(task)}` },
      });
    },
  }));
}
