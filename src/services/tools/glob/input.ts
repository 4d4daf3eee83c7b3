import { z } from "zod";

export const globInput = z.object({
  pattern: z.string().min(1),
  path: z.string().optional().describe("The working folder by default"),
});
