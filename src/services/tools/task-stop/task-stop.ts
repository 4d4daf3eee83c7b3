import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { taskStopSpec } from "./spec.ts";

export const taskStopInput = z.object({ task_id: z.string().min(1) });

/** Ends a background task. An abort ends the wait, not the task's shutdown. */
export function taskStopTool(): Tool {
  return defineTool(taskStopSpec, taskStopInput, async ({ task_id }, { signal, tasks }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: task_id,
    run: async () => {
      const { state } = await tasks.stop(task_id, signal);
      return textResult(`${task_id} ${state}.`, { display: { kind: "summary", text: `${task_id} ${state}` } });
    },
  }));
}
