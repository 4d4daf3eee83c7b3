import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import {
  LISTED_TASK_STATES,
  type ListedTask,
  type ListedTaskChange,
  type TaskList,
} from "../../../contracts/task-list.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { hookFieldsOf, type TaskListDeps } from "../task-list/task-text.ts";
import { taskUpdateSpec } from "./spec.ts";

export const taskUpdateInput = z.object({
  taskId: z.string().trim().min(1),
  status: z.enum([...LISTED_TASK_STATES, "deleted"]).optional(),
  owner: z.string().trim().max(100).optional(),
  subject: z.string().trim().min(1).optional(),
  description: z.string().trim().min(1).optional(),
  activeForm: z.string().trim().min(1).optional(),
  addBlocks: z.array(z.string().trim().min(1)).optional(),
  addBlockedBy: z.array(z.string().trim().min(1)).optional(),
  metadata: z.looseObject({}).optional(),
});

/** Changes a task of the shared list. Hooks may keep a task from being completed. */
export function taskUpdateTool(deps: TaskListDeps): Tool {
  return defineTool(taskUpdateSpec, taskUpdateInput, async ({ taskId, ...change }, { signal, hasTool }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: [taskId, change.status, change.owner].filter((word) => word !== undefined && word !== "").join(" "),
    run: async () => {
      const list = await deps.open();
      const context = change.status === "completed" ? await askCompleted(deps, list, { taskId, signal }) : "";
      const { before, after } = await list.update(taskId, change);
      const isCompletedNow = after?.status === "completed" && before.status !== "completed";
      const hint = isCompletedNow ? deps.completed(hasTool) : "";
      const said = changeWords(before, after, change);
      return textResult([`Task ${taskId}: ${said}.`, context, hint].filter((line) => line !== "").join("\n"), {
        display: { kind: "summary", text: said },
      });
    },
  }));
}

type Completing = { readonly taskId: string; readonly signal: AbortSignal };

/** @returns text that hooks add. @throws {ToolFailedError} a hook keeps the task open. */
async function askCompleted(deps: TaskListDeps, list: TaskList, { taskId, signal }: Completing): Promise<string> {
  const task = await list.get(taskId);
  if (!task || task.status === "completed") return "";
  const outcome = await deps.fire({ event: "TaskCompleted", ...hookFieldsOf(task) }, signal);
  signal.throwIfAborted();
  const refusal = outcome.block ?? outcome.stop;
  if (refusal) throw new ToolFailedError(`A hook keeps task ${taskId} open: ${refusal.reason}`);
  return outcome.additionalContext ?? "";
}

function changeWords(before: ListedTask, after: ListedTask | undefined, change: ListedTaskChange): string {
  if (!after) return "deleted";
  const fields = Object.entries(change).flatMap(([name, value]) =>
    value === undefined || name === "status" || name === "owner" ? [] : [name],
  );
  const words = [
    ...(before.status === after.status ? [] : [`${before.status} → ${after.status}`]),
    ...(before.owner === after.owner ? [] : [after.owner === undefined ? "released" : `owner ${after.owner}`]),
    ...(fields.length > 0 ? [`changed ${fields.join(", ")}`] : []),
  ];
  return words.length > 0 ? words.join("; ") : "nothing to change";
}
