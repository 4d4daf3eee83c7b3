import { z } from "zod";

export const taskOutputInput = z.object({
  task_id: z.string().min(1).optional().describe("Such as b1 or a1; without it, all tasks are listed"),
  block: z.boolean().default(true),
  timeout: z.number().int().min(0).max(600_000).default(30_000).describe("Milliseconds"),
});
