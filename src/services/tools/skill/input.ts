import { z } from "zod";

export const skillInput = z.object({
  skill: z.string().trim().min(1).describe("Its name, without a slash"),
  args: z.string().optional().describe("What follows the name when typed"),
});
