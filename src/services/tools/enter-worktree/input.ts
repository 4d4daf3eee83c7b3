import { z } from "zod";

export const enterWorktreeInput = z.object({
  name: z.string().optional(),
  base: z.string().optional(),
});
