import { z } from "zod";

export const todoWriteInput = z.object({
  todos: z.array(
    z.object({
      content: z.string().trim().min(1).describe("The step, as an order: Fix the parser"),
      status: z.enum(["pending", "in_progress", "completed"]),
      activeForm: z.string().trim().min(1).describe("The same while it is done: Fixing the parser"),
    }),
  ),
});
