import { z } from "zod";

export const taskCreateInput = z.object({
  subject: z.string().trim().min(1).describe("As an order: Fix the parser"),
  description: z.string().trim().min(1),
  activeForm: z.string().trim().min(1).optional(),
  metadata: z.looseObject({}).optional(),
});
