import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { hookFieldsOf, type TaskListDeps } from "../task-list/task-text.ts";
import { taskCreateSpec } from "./spec.ts";

export const taskCreateInput = z.object({
  subject: z.string().trim().min(1).describe("As an order: Fix the parser"),
  description: z.string().trim().min(1),
  activeForm: z.string().trim().min(1).optional(),
  metadata: z.looseObject({}).optional(),
});

/** Adds a task to the shared list, unless a hook refuses it. */
export function taskCreateTool(deps: Pick<TaskListDeps, "open" | "fire">): Tool {
  return defineTool(taskCreateSpec, taskCreateInput, async (input, { signal }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: input.subject,
    run: async () => {
      const list = await deps.open();
      // Hooks get the id before the task exists; the id of a refused task stays unused.
      const id = await list.reserveId();
      const outcome = await deps.fire({ event: "TaskCreated", ...hookFieldsOf({ ...input, id }) }, signal);
      signal.throwIfAborted();
      const refusal = outcome.block ?? outcome.stop;
      if (refusal) throw new ToolFailedError(`A hook refused the task, so it was not created: ${refusal.reason}`);
      await list.create(input, id);
      const context = outcome.additionalContext === undefined ? "" : `\n${outcome.additionalContext}`;
      return textResult(`Task ${id} created: ${input.subject}${context}`, {
        display: { kind: "summary", text: `task ${id}` },
      });
    },
  }));
}
