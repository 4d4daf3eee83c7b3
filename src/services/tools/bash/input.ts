import { z } from "zod";

export const bashInput = z.object({
  command: z.string().min(1),
  description: z.string().optional().describe("What it does, in 5 to 10 words, for the person"),
  timeout: z.number().min(1).optional().describe("Milliseconds; default 120000, at most 600000"),
  run_in_background: z.boolean().optional().describe("Return at once with a task_id"),
  notify_on: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("In the background: you are told each output line with this text; `ready|error`: either"),
  dangerouslyDisableSandbox: z.boolean().optional().describe("Ask the user; only after the sandbox stopped it"),
});
