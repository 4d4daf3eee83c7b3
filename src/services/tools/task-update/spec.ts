import { z } from "zod";
import { LISTED_TASK_STATES } from "../../../contracts/task-list.ts";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./task-update.md" with { type: "text" };

export const taskUpdateSpec = declareTool({
  name: "TaskUpdate",
  summary: "Claim, change, complete or delete a task of the shared list",
  description,
  level: "none",
  isRare: true,
  searchHint: "shared task list, claim, complete, dependencies, owner",
  input: z.object({
    taskId: z.string().trim().min(1),
    status: z.enum([...LISTED_TASK_STATES, "deleted"]).optional(),
    owner: z.string().trim().max(100).optional(),
    subject: z.string().trim().min(1).optional(),
    description: z.string().trim().min(1).optional(),
    activeForm: z.string().trim().min(1).optional(),
    addBlocks: z.array(z.string().trim().min(1)).optional(),
    addBlockedBy: z.array(z.string().trim().min(1)).optional(),
    metadata: z.looseObject({}).optional(),
  }),
  aliases: { id: "taskId", task: "taskId", blocks: "addBlocks", blockedBy: "addBlockedBy", title: "subject" },
});
