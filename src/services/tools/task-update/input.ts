import { z } from "zod";
import { LISTED_TASK_STATES } from "../../../contracts/task-list.ts";

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
