import { z } from "zod";

export const exitWorktreeInput = z.object({
  action: z.enum(["keep", "remove"]),
  discard: z.boolean().optional(),
});
