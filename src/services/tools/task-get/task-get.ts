import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { withTextBody } from "../../../contracts/result-body.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { openIds, type TaskListDeps, taskLine } from "../task-list/task-text.ts";
import { taskGetSpec } from "./spec.ts";

export const taskGetInput = z.object({ taskId: z.string().trim().min(1) });

/** Shows one task of the shared list. */
export function taskGetTool(deps: Pick<TaskListDeps, "open">): Tool {
  return defineTool(taskGetSpec, taskGetInput, async ({ taskId }) => ({
    level: "none",
    concurrencySafe: true,
    subjects: [],
    title: taskId,
    run: async () => {
      const tasks = await (await deps.open()).list();
      const task = tasks.find(({ id }) => id === taskId);
      if (!task) throw new ToolFailedError(`There is no task ${taskId}.`);
      const { subject, description, blocks, blockedBy, metadata } = task;
      const lines = [
        taskLine(task, openIds(tasks)),
        ...(blockedBy.length > 0 ? [`blockedBy: ${blockedBy.join(", ")}`] : []),
        ...(blocks.length > 0 ? [`blocks: ${blocks.join(", ")}`] : []),
        ...(metadata ? [`metadata: ${JSON.stringify(metadata)}`] : []),
        "",
        description,
      ];
      return textResult(lines.join("\n"), {
        display: { kind: "summary", text: `${taskId}: ${subject}`, ...withTextBody(description) },
      });
    },
  }));
}
